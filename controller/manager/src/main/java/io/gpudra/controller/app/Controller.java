package io.gpudra.controller.app;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller's life: caches are filled, then it stands for election, then it raises the fence,
 * then it works; told to stop, it finishes what is under way and hands the lease on. A standby has
 * everything but the work, so that taking over costs one list.
 */
final class Controller {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);
  private static final Duration SYNC_LOOK = Duration.ofMillis(50);

  /** On 5,000 nodes one takes 350 ms. */
  private static final Duration CENSUS = Duration.ofSeconds(30);

  private static final Duration EVICTION = Duration.ofSeconds(1);

  /** How old the counters of GPU time may be. */
  private static final Duration METERING = Duration.ofSeconds(5);

  private static final Duration FENCE_RETRY = Duration.ofMillis(500);

  /** For each of two loops, one after the other: within the 30 s that a pod has. */
  private static final Duration DRAIN = Duration.ofSeconds(10);

  private final Parts parts;
  private final int workers;
  private final Consumer<Throwable> broken;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread chores = new Thread(() -> guarded(this::standAndCount), "chores");
  private final Thread lead = new Thread(() -> guarded(this::lead), "lead");
  private final Thread evictions = new Thread(() -> guarded(this::evict), "evictions");
  private final Thread meter = new Thread(() -> guarded(this::meter), "meter");
  private volatile boolean standing;

  /**
   * Nothing runs yet.
   *
   * @param workers of each of the two loops
   * @param broken ends a process that could never work
   */
  Controller(Parts parts, int workers, Consumer<Throwable> broken) {
    this.parts = parts;
    this.workers = workers;
    this.broken = broken;
  }

  /** Starts everything; returns at once. */
  void start() {
    parts
        .cluster()
        .start(parts.wakeUps(), new LedgerFeed(parts.ledgers()), parts.parameters()::edited);
    chores.setDaemon(true);
    chores.start();
    lead.setDaemon(true);
    lead.start();
    evictions.setDaemon(true);
    evictions.start();
    meter.setDaemon(true);
    meter.start();
  }

  private interface Duty {
    void run() throws InterruptedException;
  }

  /** What fails here fails for good, and with it the process. */
  @SuppressWarnings("CatchingUnchecked")
  private void guarded(Duty duty) {
    try {
      duty.run();
    } catch (Exception e) {
      broken.accept(e);
    }
  }

  private void standAndCount() throws InterruptedException {
    if (!synced()) {
      return;
    }
    LOG.info("caches filled, standing for election");
    parts.ledgers().tell(parts.alerts());
    parts.election().start(parts.engine().takeover()::isFirst);
    standing = true;
    do {
      tried("counting nodes and devices", () -> count(parts.ledgers().snapshot()));
    } while (!stopsWithin(CENSUS));
  }

  private void count(ImmutableList<NodeLedger> ledgers) {
    parts.census().take(ledgers, System.nanoTime());
    parts.figures().take(ledgers);
  }

  /** Waits; answers false when it is told to stop meanwhile. */
  private boolean synced() throws InterruptedException {
    while (!parts.cluster().synced()) {
      if (stopsWithin(SYNC_LOOK)) {
        return false;
      }
    }
    return true;
  }

  private void evict() throws InterruptedException {
    if (parts.evictor().isEmpty() || !synced()) {
      return;
    }
    do {
      tried("looking for pods to evict", parts.evictor().get()::runOnce);
    } while (!stopsWithin(EVICTION));
  }

  private void meter() throws InterruptedException {
    if (!synced()) {
      return;
    }
    do {
      tried("counting GPU time", parts.metering()::look);
    } while (!stopsWithin(METERING));
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

  /** Without the fence nothing may be granted, so it is tried for as long as it takes. */
  private void lead() throws InterruptedException {
    if (!parts.leading().await()) {
      return;
    }
    while (!raiseFence()) {
      if (stopsWithin(FENCE_RETRY)) {
        return;
      }
    }
    work();
  }

  private boolean raiseFence() {
    try {
      ImmutableList<ObjectKey> halfDone = parts.engine().takeover().run();
      LOG.info("fence raised epoch={} halfDonePods={}", parts.leading().epoch(), halfDone.size());
      halfDone.forEach(parts.contexts()::runNow);
      return true;
    } catch (Unavailable e) {
      LOG.warn("fence not raised, trying again why={}", e.toString());
      return false;
    }
  }

  private synchronized void work() {
    if (stopped.getCount() > 0) {
      parts.claims().start(workers);
      parts.contexts().start(workers);
      parts.parameters().start();
      LOG.info("working workers={}", workers);
    }
  }

  /**
   * Finishes what is under way and gives the lease back; waits for it.
   *
   * @return whether everything under way was finished; if not, the lease is left to run out
   */
  boolean stop() throws InterruptedException {
    LOG.info("stopping");
    synchronized (this) {
      stopped.countDown();
    }
    parts.leading().giveUp();
    boolean drained = ended(lead);
    drained &= ended(chores);
    drained &= ended(evictions);
    drained &= ended(meter);
    drained &= parts.parameters().stop(DRAIN);
    drained &= parts.contexts().stop(DRAIN);
    drained &= parts.claims().stop(DRAIN);
    if (drained) {
      parts.election().close();
    }
    parts.cluster().close();
    parts.writes().shutdown();
    LOG.info("stopped drained={}", drained);
    return drained;
  }

  private static boolean ended(Thread thread) throws InterruptedException {
    thread.join(DRAIN.toMillis());
    return !thread.isAlive();
  }

  /** What health is judged by. */
  Health.Vitals vitals() {
    return new Health.Vitals(
        standing,
        stopped.getCount() == 0,
        parts.election().alive(),
        Health.Vitals.oldestWork(parts.claims(), parts.contexts()),
        parts.cluster().silences(),
        parts.cluster().refusals());
  }
}
