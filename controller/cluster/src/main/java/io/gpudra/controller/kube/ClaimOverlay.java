package io.gpudra.controller.kube;

import static io.gpudra.controller.client.watch.ResourceVersions.later;

import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.crds.model.ClaimRef;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The newest known version of each claim: from the watch or, until the watch catches up, from the
 * responses to our own writes. All readers use this overlay, so none sees a version older than our
 * last write, and a deleted claim does not reappear.
 */
final class ClaimOverlay implements CacheListener<CachedClaim> {
  private final ObjectCache<CachedClaim> cache;
  private final ConcurrentHashMap<String, Kept<CachedClaim>> answered = new ConcurrentHashMap<>();

  /** UIDs of claims that our write removed but the watch still has. */
  private final Set<String> removed = ConcurrentHashMap.newKeySet();

  /** Guards {@code answered}, {@code removed} and the order of events. */
  private final Object order = new Object();

  private volatile ClaimEvents events = ClaimEvents.NO_OP;

  ClaimOverlay(ObjectCache<CachedClaim> cache) {
    this.cache = cache;
  }

  /** Call before the watch starts. */
  void setListener(ClaimEvents listener) {
    events = listener;
  }

  /** Takes no lock. */
  Optional<Kept<CachedClaim>> newest(ClaimRef claim) {
    String key = ObjectCache.key(claim.namespace(), claim.name());
    Kept<CachedClaim> answer = answered.get(key);
    Optional<Kept<CachedClaim>> cached = cache.get(key);
    Optional<Kept<CachedClaim>> newest =
        answer == null || cached.filter(c -> notNewer(answer, c)).isPresent()
            ? cached
            : Optional.of(answer);
    return newest.filter(kept -> !removed.contains(kept.uid()));
  }

  /** The number of claims for which the watch is behind. */
  int ahead() {
    return answered.size() + removed.size();
  }

  /** Records the response to our own write. */
  void answer(Kept<CachedClaim> object) {
    synchronized (order) {
      Kept<CachedClaim> before = answered.get(object.key());
      if (overtaken(object) || (before != null && notNewer(object, before))) {
        return;
      }
      if (before != null) {
        replaced(before, object);
      }
      answered.put(object.key(), object);
      events.changed().accept(object.value().facts());
    }
  }

  /** Our own write removed this object. */
  void removed(Kept<CachedClaim> object) {
    synchronized (order) {
      boolean known = newest(object.value().facts().ref()).filter(o -> same(o, object)).isPresent();
      if (known) {
        removed.add(object.uid());
        notifyDeleted(object);
      }
    }
  }

  private static boolean same(Kept<CachedClaim> one, Kept<CachedClaim> other) {
    return one.uid().equals(other.uid());
  }

  /** Whether the watch has a newer version of the object, or has received its deletion. */
  private boolean overtaken(Kept<CachedClaim> object) {
    String complete = cache.position();
    return cache
        .get(object.key())
        .map(cached -> notNewer(object, cached))
        .orElse(!complete.isEmpty() && !later(object.resourceVersion(), complete));
  }

  @Override
  public void changed(Kept<CachedClaim> now) {
    synchronized (order) {
      Kept<CachedClaim> answer = answered.get(now.key());
      if (answer != null && later(answer.resourceVersion(), now.resourceVersion())) {
        return;
      }
      answered.remove(now.key());
      if (answer != null && answer.resourceVersion().equals(now.resourceVersion())) {
        return;
      }
      if (answer != null) {
        replaced(answer, now);
      }
      events.changed().accept(now.value().facts());
    }
  }

  @Override
  public void gone(Kept<CachedClaim> last) {
    synchronized (order) {
      answered.computeIfPresent(last.key(), (k, a) -> same(a, last) ? null : a);
      if (!removed.remove(last.uid())) {
        notifyDeleted(last);
      }
    }
  }

  /** Drops responses whose objects were created and deleted between two watches. */
  @Override
  public void listed(String resourceVersion) {
    synchronized (order) {
      answered
          .values()
          .removeIf(
              answer -> {
                boolean gone =
                    !later(answer.resourceVersion(), resourceVersion)
                        && cache.get(answer.key()).isEmpty();
                if (gone && !removed.remove(answer.uid())) {
                  notifyDeleted(answer);
                }
                return gone;
              });
    }
  }

  private void replaced(Kept<CachedClaim> before, Kept<CachedClaim> now) {
    if (!before.uid().equals(now.uid())) {
      notifyDeleted(before);
    }
  }

  private void notifyDeleted(Kept<CachedClaim> last) {
    ClaimFacts facts = last.value().facts();
    events.deleted().accept(facts.ref(), facts.uid());
  }

  private static boolean notNewer(Kept<CachedClaim> one, Kept<CachedClaim> other) {
    return !later(one.resourceVersion(), other.resourceVersion());
  }
}
