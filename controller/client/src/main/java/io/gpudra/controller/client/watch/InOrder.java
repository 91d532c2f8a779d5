package io.gpudra.controller.client.watch;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.informer.cache.DeltaFIFO;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.commons.lang3.tuple.MutablePair;

/**
 * Stands where the informer has its queue, and is none: each change goes on at once, in the
 * reflector's thread and in the server's order. The stock queue merges the changes of one object,
 * so that those of different objects change places (28): a grant would be seen before the release
 * that made room for it. It also loses deletions that meet a list (21).
 */
final class InOrder<V> extends DeltaFIFO {
  private final String plural;
  private final ObjectCache<V> cache;
  private final CacheFeed<V> feed;
  private final CountDownLatch never = new CountDownLatch(1);
  private boolean closed;
  private volatile boolean synced;

  InOrder(String plural, ObjectCache<V> cache, CacheFeed<V> feed) {
    super(KubernetesObject::getKind, new Cache<KubernetesObject>());
    this.plural = plural;
    this.cache = cache;
    this.feed = feed;
  }

  @Override
  public void add(KubernetesObject object) {
    update(object);
  }

  @Override
  public void update(KubernetesObject object) {
    Incoming<V> incoming = incoming(object);
    tell(() -> feed.changed(incoming), incoming.resourceVersion());
  }

  @Override
  public void delete(KubernetesObject object) {
    Incoming<V> incoming = incoming(object);
    tell(() -> feed.gone(incoming.key()), incoming.resourceVersion());
  }

  /** The server has nothing older to tell. */
  void upTo(String resourceVersion) {
    tell(() -> {}, resourceVersion);
  }

  /** Empties the list: the reflector holds it for as long as it watches (26). */
  @Override
  public void replace(List<KubernetesObject> list, String resourceVersion) {
    tell(
        () -> {
          try {
            list.forEach(object -> feed.item(incoming(object)));
            // Before what is gone is told: an answer that is just coming in must not revive it.
            cache.completeUpTo(resourceVersion);
            feed.listed(resourceVersion);
            synced = true;
          } finally {
            feed.broken();
            list.clear();
          }
        },
        resourceVersion);
  }

  private synchronized void tell(Runnable change, String resourceVersion) {
    if (closed) {
      return;
    }
    try {
      change.run();
    } catch (RuntimeException e) {
      // With a message: the reflector cannot stand one without.
      throw new IllegalStateException("telling of " + plural + " failed", e);
    }
    if (!resourceVersion.isEmpty()) {
      cache.completeUpTo(resourceVersion);
    }
  }

  /** Nobody is told anything afterwards. */
  synchronized void close() {
    closed = true;
  }

  @Override
  public boolean hasSynced() {
    return synced;
  }

  @Override
  public void resync() {}

  /** The informer's second thread, which would empty the queue. */
  @Override
  public Deque<MutablePair<DeltaType, KubernetesObject>> pop(
      Consumer<Deque<MutablePair<DeltaType, KubernetesObject>>> handler)
      throws InterruptedException {
    Thread.currentThread().setName("informer-" + plural);
    never.await();
    throw new IllegalStateException("nothing is queued");
  }

  @SuppressWarnings("unchecked")
  private Incoming<V> incoming(KubernetesObject object) {
    return (Incoming<V>) object;
  }
}
