package io.gpudra.controller.app;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.gate.GateTakeover;
import io.gpudra.controller.kube.NodeListener;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkLoop;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifecycle of the controller: fills caches, takes part in the election, raises the fence, and then
 * runs the loops. On stop it finishes running work and releases the lease. A standby keeps its
 * caches up to date, so that a takeover costs one list.
 */
final class ControllerLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLifecycle.class);

  private final ControllerComponents controllerComponents;
  private final int workers;
  private final Consumer<Throwable> broken;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread chores = new Thread(() -> stopOnFailure(this::runElection), "chores");
  private final Thread lead = new Thread(() -> stopOnFailure(this::lead), "lead");
  private final Thread evictions = new Thread(() -> stopOnFailure(this::evict), "evictions");
  private final Thread quotas = new Thread(() -> stopOnFailure(this::compareQuotas), "quotas");
  private final Thread meter = new Thread(() -> stopOnFailure(this::meter), "meter");
  private volatile boolean electing;

  /**
   * A lifecycle that has started nothing yet.
   *
   * @param workers of each loop
   * @param broken ends the process after a fatal error
   */
  ControllerLifecycle(
      ControllerComponents controllerComponents, int workers, Consumer<Throwable> broken) {
    this.controllerComponents = controllerComponents;
    this.workers = workers;
    this.broken = broken;
  }

  /** Starts everything; returns at once. */
  void start() {
    Ledgers ledgers = controllerComponents.ledgers();
    controllerComponents
        .cluster()
        .start(
            controllerComponents.requeuer(),
            new NodeListener(ledgers::observe, ledgers::nodeSpoke, ledgers::nodeGone),
            controllerComponents.parameters()::edited,
            controllerComponents.gates().map(GateComponents::pods));
    chores.setDaemon(true);
    chores.start();
    lead.setDaemon(true);
    lead.start();
    evictions.setDaemon(true);
    evictions.start();
    meter.setDaemon(true);
    meter.start();
    quotas.setDaemon(true);
    quotas.start();
  }

  private interface Task {
    void run() throws InterruptedException;
  }

  /** Runs a duty; its failure is fatal for the process. */
  @SuppressWarnings("CatchingUnchecked")
  private void stopOnFailure(Task task) {
    try {
      task.run();
    } catch (Exception e) {
      broken.accept(e);
    }
  }

  private void runElection() throws InterruptedException {
    if (!synced()) {
      return;
    }
    LOG.info("caches synced, standing for election");
    controllerComponents.ledgers().setListener(controllerComponents.alerts());
    controllerComponents.election().start(controllerComponents.engine().takeover()::isFirst);
    electing = true;
    do {
      tried("counting nodes and devices", () -> count(controllerComponents.ledgers().snapshot()));
    } while (!stopsWithin(ControllerDelays.COUNT_ROUND));
  }

  private void count(ImmutableList<NodeLedger> ledgers) {
    controllerComponents.clusterStats().update(ledgers, System.nanoTime());
    controllerComponents.gpuStatistics().update(ledgers);
  }

  /** Waits for the caches; false if the controller is stopped meanwhile. */
  private boolean synced() throws InterruptedException {
    while (!controllerComponents.cluster().synced()) {
      if (stopsWithin(ControllerDelays.SYNC_ROUND)) {
        return false;
      }
    }
    return true;
  }

  private void evict() throws InterruptedException {
    if (controllerComponents.evictor().isEmpty() || !synced()) {
      return;
    }
    do {
      tried("looking for pods to evict", controllerComponents.evictor().get()::runOnce);
    } while (!stopsWithin(ControllerDelays.EVICTION_ROUND));
  }

  private void compareQuotas() throws InterruptedException {
    if (!synced()) {
      return;
    }
    do {
      tried("comparing quotas", controllerComponents.quotas()::runOnce);
    } while (!stopsWithin(ControllerDelays.QUOTA_ROUND));
  }

  private void meter() throws InterruptedException {
    if (!synced()) {
      return;
    }
    do {
      tried("counting GPU time", controllerComponents.gpuTimeMeter()::update);
    } while (!stopsWithin(ControllerDelays.GPU_TIME_ROUND));
  }

  private static void tried(String what, Runnable chore) {
    try {
      chore.run();
    } catch (RuntimeException e) {
      LOG.error("{} failed", what, e);
    }
  }

  private boolean stopsWithin(Duration time) throws InterruptedException {
    return stopped.await(time.toMillis(), MILLISECONDS);
  }

  /** Retries until the fence is raised, since nothing may be allocated without it. */
  private void lead() throws InterruptedException {
    if (!controllerComponents.leadershipState().await()) {
      return;
    }
    while (!raiseFence()) {
      if (stopsWithin(ControllerDelays.FENCE_RETRY)) {
        return;
      }
    }
    work();
  }

  private boolean raiseFence() {
    try {
      ImmutableList<ObjectKey> halfDone = controllerComponents.engine().takeover().run();
      LOG.info(
          "fence raised epoch={} halfDonePods={}",
          controllerComponents.leadershipState().epoch(),
          halfDone.size());
      halfDone.forEach(controllerComponents.contexts()::runNow);
      controllerComponents.gates().map(GateComponents::takeover).ifPresent(GateTakeover::run);
      return true;
    } catch (ApiUnavailableException e) {
      LOG.warn("fence not raised, retrying why={}", e.toString());
      return false;
    }
  }

  private synchronized void work() {
    if (stopped.getCount() > 0) {
      controllerComponents.loops().forEach(loop -> loop.start(workers));
      controllerComponents.parameters().start();
      LOG.info("working workers={}", workers);
    }
  }

  /**
   * Finishes running work, releases the lease and waits for both.
   *
   * @return whether all work was finished; if not, the lease expires instead
   */
  boolean stop() throws InterruptedException {
    LOG.info("stopping");
    synchronized (this) {
      stopped.countDown();
    }
    controllerComponents.leadershipState().giveUp();
    boolean drained = ended(lead);
    drained &= ended(chores);
    drained &= ended(evictions);
    drained &= ended(meter);
    drained &= ended(quotas);
    drained &= controllerComponents.parameters().stop(ControllerDelays.STOP);
    for (WorkLoop loop : controllerComponents.loops()) {
      drained &= loop.stop(ControllerDelays.STOP);
    }
    if (drained) {
      controllerComponents.election().close();
    }
    controllerComponents.cluster().close();
    controllerComponents.writes().shutdown();
    LOG.info("stopped drained={}", drained);
    return drained;
  }

  private static boolean ended(Thread thread) throws InterruptedException {
    thread.join(ControllerDelays.STOP.toMillis());
    return !thread.isAlive();
  }

  /** State for the health checks. */
  ControllerHealth.ProcessState vitals() {
    return new ControllerHealth.ProcessState(
        electing,
        stopped.getCount() == 0,
        controllerComponents.election().alive(),
        ControllerHealth.ProcessState.oldestWork(controllerComponents.loops()),
        controllerComponents.cluster().silences(),
        controllerComponents.cluster().refusals());
  }
}
