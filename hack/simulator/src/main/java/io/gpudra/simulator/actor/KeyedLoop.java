package io.gpudra.simulator.actor;

import io.gpudra.simulator.api.ApiError;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Level-triggered work by key: one key is never worked on twice at once, and what the API server
 * refuses is tried again later, each time after twice the delay.
 */
public final class KeyedLoop<K> implements Actor {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedLoop.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(5);
  private static final int MOST_DOUBLINGS = 12;

  private final WorkQueue<K> queue = new WorkQueue<>();
  private final Map<K, Integer> failures = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final Executor executor;
  private final Consumer<K> work;

  /**
   * Starts empty.
   *
   * @param executor runs the work of a step; {@code Runnable::run} keeps it on the stepping thread
   */
  public KeyedLoop(InstantSource clock, Executor executor, Consumer<K> work) {
    this.clock = clock;
    this.executor = executor;
    this.work = work;
  }

  public void add(K key) {
    queue.add(key, clock.instant());
  }

  public void add(K key, Instant at) {
    queue.add(key, at);
  }

  @Override
  public boolean step() {
    Optional<K> key = queue.poll(clock.instant());
    key.ifPresent(taken -> executor.execute(() -> process(taken)));
    return key.isPresent();
  }

  private void process(K key) {
    try {
      work.accept(key);
      failures.remove(key);
    } catch (ApiError e) {
      int failed = failures.merge(key, 1, Integer::sum);
      Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(failed - 1, MOST_DOUBLINGS));
      LOG.debug("refused key={} code={} message={}", key, e.code(), e.getMessage());
      queue.add(key, clock.instant().plus(delay));
    } catch (RuntimeException e) {
      LOG.error("work failed key={}", key, e);
    } finally {
      queue.done(key);
    }
  }

  @Override
  public Optional<Instant> nextDue() {
    return queue.nextDue();
  }

  @Override
  public void awaitWork(Duration atMost) throws InterruptedException {
    queue.awaitDue(clock.instant(), atMost);
  }

  @Override
  public void close() {
    failures.clear();
  }
}
