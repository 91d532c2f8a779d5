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
 * Replaces the informer's queue without queueing: it passes on each change at once, in the
 * reflector's thread and in the server's order. The stock queue merges the changes of one object,
 * which reorders those of different objects (28): an allocation would be processed before the
 * deallocation that made room for it. It also loses deletions that coincide with a list (21).
 */
final class DirectDeltaQueue<V> extends DeltaFIFO {
  private final String plural;
  private final ObjectCache<V> cache;
  private final CacheFeed<V> feed;
  private final CountDownLatch never = new CountDownLatch(1);
  private boolean closed;
  private volatile boolean synced;

  DirectDeltaQueue(String plural, ObjectCache<V> cache, CacheFeed<V> feed) {
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
    DecodedObject<V> decodedObject = incoming(object);
    apply(() -> feed.changed(decodedObject), decodedObject.resourceVersion());
  }

  @Override
  public void delete(KubernetesObject object) {
    DecodedObject<V> decodedObject = incoming(object);
    apply(() -> feed.gone(decodedObject.key()), decodedObject.resourceVersion());
  }

  /** The server sends no older changes from now on. */
  void upTo(String resourceVersion) {
    apply(() -> {}, resourceVersion);
  }

  /** Empties the list, which the reflector holds as long as it watches (26). */
  @Override
  public void replace(List<KubernetesObject> list, String resourceVersion) {
    apply(
        () -> {
          try {
            list.forEach(object -> feed.item(incoming(object)));
            // Before deletions are passed on: an answer that arrives now must not revive an object.
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

  private synchronized void apply(Runnable change, String resourceVersion) {
    if (closed) {
      return;
    }
    try {
      change.run();
    } catch (RuntimeException e) {
      // With a message: the reflector fails on an exception without one.
      throw new IllegalStateException("telling of " + plural + " failed", e);
    }
    if (!resourceVersion.isEmpty()) {
      cache.completeUpTo(resourceVersion);
    }
  }

  /** No change is passed on afterwards. */
  synchronized void close() {
    closed = true;
  }

  @Override
  public boolean hasSynced() {
    return synced;
  }

  @Override
  public void resync() {}

  /** Blocks the informer's second thread, which would empty the queue. */
  @Override
  public Deque<MutablePair<DeltaType, KubernetesObject>> pop(
      Consumer<Deque<MutablePair<DeltaType, KubernetesObject>>> handler)
      throws InterruptedException {
    Thread.currentThread().setName("informer-" + plural);
    never.await();
    throw new IllegalStateException("nothing is queued");
  }

  @SuppressWarnings("unchecked")
  private DecodedObject<V> incoming(KubernetesObject object) {
    return (DecodedObject<V>) object;
  }
}
