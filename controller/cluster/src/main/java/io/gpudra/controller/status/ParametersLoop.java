package io.gpudra.controller.status;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.loop.WorkQueue;
import io.gpudra.crds.model.node.Inventory;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Maintains the status of all parameters. It starts when this process leads, and has no state
 * before that. Its metrics are those of the loop {@code parameters}.
 */
public final class ParametersLoop {

  /** The evaluation is confined to one thread. */
  private static final int WORKERS = 1;

  private final WorkQueue queue;
  private final ParametersReconciler reconciler;
  private final WorkLoop loop;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean begun;

  /**
   * The inputs of the loop.
   *
   * @param nodes the current state of all nodes
   */
  public record Cluster(
      String driver,
      ParametersReader reader,
      StatusObjects objects,
      Supplier<? extends Collection<Inventory>> nodes) {}

  /** A loop that is not started yet. */
  public ParametersLoop(Cluster cluster, Clock clock, MetricRegistry metrics) {
    this.queue = new WorkQueue(System::nanoTime);
    StatusRateLimiter statusRateLimiter =
        new StatusRateLimiter(
            ControllerDelays.STATUS_WRITE_GAP,
            System::nanoTime,
            nanos -> {
              boolean unused = stopped.await(nanos, NANOSECONDS);
            });
    this.reconciler =
        new ParametersReconciler(
            cluster.objects(),
            new ParametersReconciler.Nodes(cluster.driver(), cluster.reader(), cluster.nodes()),
            statusRateLimiter,
            new ParametersReconciler.Times(clock, System::nanoTime),
            queue::add);
    this.loop = new WorkLoop("parameters", queue, reconciler, metrics);
  }

  /** Starts the loop when this process leads; call it once. */
  public void start() {
    begun = true;
    queue.addFirst(ParametersReconciler.NODES);
    loop.start(WORKERS);
  }

  /** The object was edited, or has no status yet; returns at once. */
  public void edited(ObjectKey key) {
    if (begun) {
      reconciler.edited(key);
      queue.addFirst(key);
    }
  }

  /** Ends the loop and waits for a running call. Returns whether it ended in time. */
  public boolean stop(Duration deadline) throws InterruptedException {
    stopped.countDown();
    return loop.stop(deadline);
  }
}
