package io.gpudra.controller.client.watch;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts received objects into the cache and notifies the listener: never of an older version of the
 * same UID, never twice of the same version, and of a re-created object as deleted and added. For
 * one thread.
 */
final class CacheFeed<V> {
  private final ObjectCache<V> cache;
  private final CacheListener<V> listener;
  private final Consumer<MalformedObject> malformed;
  private final Meter skipped;
  private final Set<String> listedKeys = new HashSet<>();

  CacheFeed(
      String plural,
      ObjectCache<V> cache,
      CacheListener<V> listener,
      Consumer<MalformedObject> malformed,
      MetricRegistry metrics) {
    this.cache = cache;
    this.listener = listener;
    this.malformed = malformed;
    this.skipped = metrics.meter("watch.malformed." + plural);
  }

  /** An item of a list that {@link #listed} will end. */
  void item(DecodedObject<V> item) {
    listedKeys.add(item.key());
    changed(item);
  }

  /** The list was interrupted: objects that it lacks may exist. */
  void broken() {
    listedKeys.clear();
  }

  /**
   * The list is complete: objects that it lacks are gone. A malformed item keeps the last good
   * state of its object, since the object exists.
   */
  void listed(String resourceVersion) {
    for (String key : cache.keys()) {
      if (!listedKeys.contains(key)) {
        gone(key);
      }
    }
    listedKeys.clear();
    listener.listed(resourceVersion);
  }

  void changed(DecodedObject<V> decodedObject) {
    if (decodedObject instanceof DecodedObject.Valid<V> good) {
      put(good.object());
    } else if (decodedObject instanceof DecodedObject.Malformed<V> undecoded) {
      skipped.mark();
      cache.unreadable(undecoded.key(), undecoded.why().problem());
      malformed.accept(undecoded.why());
    }
  }

  void gone(String key) {
    cache.noneUnreadable(key);
    cache.get(key).ifPresent(this::remove);
  }

  private void put(Kept<V> now) {
    @Nullable Kept<V> before = cache.get(now.key()).orElse(null);
    if (before != null && !before.uid().equals(now.uid())) {
      remove(before);
    } else if (before != null
        && !ResourceVersions.later(now.resourceVersion(), before.resourceVersion())) {
      return;
    }
    cache.put(now);
    listener.changed(now);
  }

  private void remove(Kept<V> last) {
    cache.remove(last);
    listener.gone(last);
  }
}
