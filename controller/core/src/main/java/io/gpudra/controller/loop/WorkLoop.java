package io.gpudra.controller.loop;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.gpudra.process.BucketTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes keys from a queue and reconciles several at a time, but never one key twice at once. Every
 * key is finished here, regardless of the result: success resets the back-off, {@link
 * ReconcileResult.Kind#AGAIN} and every exception increase it.
 *
 * <p>Metrics, each prefixed {@code loop.<name>.}: gauges {@code depth}, {@code delayed}, {@code
 * failing}, {@code workers}, {@code busy} and {@code oldestRunningSeconds}, timer {@code latency},
 * meters {@code done}, {@code after}, {@code again}, {@code failed}.
 */
public final class WorkLoop {
  private static final Logger LOG = LoggerFactory.getLogger(WorkLoop.class);

  private final String name;
  private final WorkQueue queue;
  private final Reconciler reconciler;
  private final Map<ObjectKey, Integer> failures = new ConcurrentHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Timer latency;
  private final Meter done;
  private final Meter after;
  private final Meter again;
  private final Meter failed;
  private volatile int workers;

  /**
   * A loop that does nothing until {@link #start} or {@link #runOnce}.
   *
   * @param name of its threads and metrics, unique in the registry
   */
  public WorkLoop(String name, WorkQueue queue, Reconciler reconciler, MetricRegistry metrics) {
    this.name = name;
    this.queue = queue;
    this.reconciler = reconciler;
    String prefix = MetricRegistry.name("loop", name);
    this.latency = metrics.timer(MetricRegistry.name(prefix, "latency"), BucketTimer::ofWork);
    this.done = metrics.meter(MetricRegistry.name(prefix, "done"));
    this.after = metrics.meter(MetricRegistry.name(prefix, "after"));
    this.again = metrics.meter(MetricRegistry.name(prefix, "again"));
    this.failed = metrics.meter(MetricRegistry.name(prefix, "failed"));
    metrics.register(MetricRegistry.name(prefix, "depth"), (Gauge<Integer>) queue::depth);
    metrics.register(MetricRegistry.name(prefix, "delayed"), (Gauge<Integer>) queue::delayed);
    metrics.register(MetricRegistry.name(prefix, "failing"), (Gauge<Integer>) failures::size);
    metrics.register(MetricRegistry.name(prefix, "busy"), (Gauge<Integer>) queue::running);
    metrics.register(MetricRegistry.name(prefix, "workers"), (Gauge<Integer>) () -> workers);
    metrics.register(
        MetricRegistry.name(prefix, "oldestRunningSeconds"),
        (Gauge<Double>)
            () -> oldestRunning().map(KeyInProgress::time).orElse(Duration.ZERO).toNanos() / 1e9);
  }

  /** Starts the workers; call it once. */
  public synchronized void start(int count) {
    workers = count;
    queue.workers(count);
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::work, name + "-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  /**
   * Stops taking keys and waits for running work; work that does not end by the deadline is
   * interrupted and abandoned.
   *
   * @return whether all running work was finished
   */
  public synchronized boolean stop(Duration deadline) throws InterruptedException {
    queue.stop();
    long end = System.nanoTime() + deadline.toNanos();
    boolean drained = true;
    for (Thread thread : threads) {
      long restMillis = Math.max(1, (end - System.nanoTime()) / 1_000_000);
      thread.join(restMillis);
      drained &= !thread.isAlive();
    }
    threads.forEach(Thread::interrupt);
    return drained;
  }

  /**
   * Reconciles one key that is due, in the calling thread.
   *
   * @return whether there was one
   */
  public boolean runOnce() {
    Optional<ObjectKey> key = queue.poll();
    key.ifPresent(this::run);
    return key.isPresent();
  }

  /** Reconciles this key before all others, in the calling thread; a running one is left alone. */
  public void runNow(ObjectKey key) {
    if (queue.takeNow(key)) {
      run(key);
    }
  }

  /** The name of its threads and metrics. */
  public String name() {
    return name;
  }

  /** The key that has been running for longest: it shows a stuck worker. */
  public Optional<KeyInProgress> oldestRunning() {
    return queue.oldestRunning();
  }

  private void work() {
    try {
      for (Optional<ObjectKey> key = queue.take(); key.isPresent(); key = queue.take()) {
        run(key.get());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** The only catch-all: any failure belongs to one key, which is tried again. */
  private void run(ObjectKey key) {
    Timer.Context timing = latency.time();
    try {
      ReconcileResult reconcileResult =
          Objects.requireNonNull(reconciler.reconcile(key), "reconciler's outcome");
      conclude(key, reconcileResult);
    } catch (Throwable failure) {
      Duration wait = retry(key);
      failed.mark();
      LOG.error("reconcile failed loop={} key={} retryIn={}", name, key, wait, failure);
      if (failure instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
    } finally {
      timing.stop();
      queue.finished(key);
    }
  }

  private void conclude(ObjectKey key, ReconcileResult reconcileResult) {
    Meter meter =
        switch (reconcileResult.kind()) {
          case DONE -> {
            failures.remove(key);
            yield done;
          }
          case AFTER -> {
            failures.remove(key);
            queue.addAfter(key, reconcileResult.delay());
            yield after;
          }
          case FIRST_AFTER -> {
            failures.remove(key);
            queue.retryAfter(key, reconcileResult.delay());
            yield after;
          }
          case AGAIN -> {
            Duration wait = retry(key);
            LOG.debug("not finished loop={} key={} retryIn={}", name, key, wait);
            yield again;
          }
        };
    meter.mark();
  }

  private Duration retry(ObjectKey key) {
    Duration wait = ControllerDelays.FAILED_PASS.after(failures.merge(key, 1, Integer::sum));
    queue.retryAfter(key, wait);
    return wait;
  }
}
