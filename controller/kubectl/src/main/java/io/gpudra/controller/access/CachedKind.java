package io.gpudra.controller.access;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.Informer;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.WatchedKind;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** One kind, kept up to date by a watch. */
record CachedKind<V>(
    ObjectCache<V> cache,
    Map<String, MalformedObject> malformed,
    CountDownLatch listed,
    Informer<?, V> informer)
    implements AutoCloseable {
  private static final Duration FIRST_LIST = Duration.ofMinutes(1);

  /** Starts the watch. */
  static <T, V> CachedKind<V> of(
      HttpClients http, WatchedKind<T, V> kind, Runnable changed, MetricRegistry metrics) {
    ObjectCache<V> cache = new ObjectCache<>();
    Map<String, MalformedObject> malformed = new ConcurrentHashMap<>();
    CountDownLatch listed = new CountDownLatch(1);
    Informer<T, V> informer =
        new Informer<>(
            http,
            kind,
            cache,
            new ChangeNotifier<>(changed, listed),
            object -> {
              malformed.put(ObjectCache.key(object.namespace(), object.name()), object);
              changed.run();
            },
            metrics);
    informer.start();
    return new CachedKind<>(cache, malformed, listed, informer);
  }

  private record ChangeNotifier<V>(Runnable changed, CountDownLatch first)
      implements CacheListener<V> {

    @Override
    public void changed(ObjectCache.Kept<V> now) {
      changed.run();
    }

    @Override
    public void gone(ObjectCache.Kept<V> last) {
      changed.run();
    }

    @Override
    public void listed(String resourceVersion) {
      first.countDown();
      changed.run();
    }
  }

  void awaitFirstList() throws IOException {
    if (!Uninterruptibles.awaitUninterruptibly(listed, FIRST_LIST)) {
      throw new IOException("no complete list of " + informer.plural() + " came");
    }
  }

  /** The objects in the order of the API server's list. */
  ImmutableMap<String, V> objects() {
    return cache.all().stream()
        .sorted(Comparator.comparing(ObjectCache.Kept::key))
        .collect(
            ImmutableMap.toImmutableMap(
                ObjectCache.Kept::key, ObjectCache.Kept::value, (a, b) -> b));
  }

  /** Objects that cannot be read now. */
  ImmutableList<MalformedObject> unreadable() {
    malformed.keySet().removeIf(key -> cache.problem(key).isEmpty());
    return ImmutableList.copyOf(malformed.values());
  }

  Optional<String> refusal() {
    return informer.refusal();
  }

  @Override
  public void close() {
    informer.close();
  }
}
