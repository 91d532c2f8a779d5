package io.gpudra.controller.client.watch;

import com.codahale.metrics.MetricRegistry;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.client.HttpClients;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.informer.impl.DefaultSharedIndexInformer;
import io.kubernetes.client.util.Threads;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps a cache equal to the server: client-java's informer, composed of its reflector and two
 * parts of this package. {@link ResumableListerWatcher} lists in a stream and resumes; {@link
 * DirectDeltaQueue} replaces the queue. One thread lists, watches and notifies the listener.
 */
public final class Informer<T, V> implements AutoCloseable {

  static {
    // Its threads would keep the process alive after an election is lost.
    Threads.setDefaultThreadFactory(new ThreadFactoryBuilder().setDaemon(true).build());
  }

  private final String plural;
  private final WatchBackoff watchBackoff;
  private final DirectDeltaQueue<V> queue;
  private final ResumableListerWatcher<T, V> server;
  private final SharedIndexInformer<DecodedObject<V>> informer;

  /**
   * An informer that is not started yet.
   *
   * @param cache with no other writer
   * @param malformed receives every object that was skipped
   */
  public Informer(
      HttpClients http,
      WatchedKind<T, V> kind,
      ObjectCache<V> cache,
      CacheListener<V> listener,
      Consumer<MalformedObject> malformed,
      MetricRegistry metrics) {
    this.plural = kind.plural();
    this.watchBackoff = new WatchBackoff(plural, metrics);
    this.queue =
        new DirectDeltaQueue<>(
            plural, cache, new CacheFeed<>(plural, cache, listener, malformed, metrics));
    this.server = new ResumableListerWatcher<>(http, kind, cache, queue, watchBackoff, metrics);
    this.informer =
        new DefaultSharedIndexInformer<DecodedObject<V>, IncomingList<V>>(
            type(), server, 0, queue, new Cache<>(), (type, e) -> watchBackoff.failed(e));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V> Class<DecodedObject<V>> type() {
    return (Class) DecodedObject.class;
  }

  /** Starts the informer; call it once. */
  public void start() {
    informer.run();
  }

  /** Whether the first list is in the cache and the listener was notified of all of it. */
  public boolean synced() {
    return informer.hasSynced();
  }

  /** The time since the last message of the server; a healthy watch is renewed every 10 minutes. */
  public Duration silence() {
    return watchBackoff.silence();
  }

  /** The error with which the server refuses the kind; empty if it does not. */
  public Optional<String> refusal() {
    return watchBackoff.refusal();
  }

  /** Whether the server does not know the kind. */
  public boolean missing() {
    return watchBackoff.missing();
  }

  /** The resource's name, as in URLs. */
  public String plural() {
    return plural;
  }

  /** Ends the informer; the listener is not called afterwards. */
  @Override
  public void close() {
    queue.close();
    server.stop();
    informer.stop();
  }
}
