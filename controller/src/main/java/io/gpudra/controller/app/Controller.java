package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
  private static final Duration CENSUS = Duration.ofSeconds(10);
  private static final Duration FENCE_RETRY = Duration.ofMillis(500);

  /** Two loops one after the other, well within a pod's 30 s. */
  private static final Duration DRAIN = Duration.ofSeconds(10);

  private final Parts parts;
  private final int workers;
  private final Consumer<Throwable> broken;
  private final ScheduledExecutorService chores = executor("chores");
  private final ScheduledExecutorService lead = executor("lead");
  private volatile boolean standing;
  private volatile boolean ending;

  /**
   * Nothing runs yet.
   *
   * @param workers of each of the two loops
   * @param broken ends the process, which leads but can never work
   */
  Controller(Parts parts, int workers, Consumer<Throwable> broken) {
    this.parts = parts;
    this.workers = workers;
    this.broken = broken;
  }

  private static ScheduledExecutorService executor(String name) {
    return Executors.newSingleThreadScheduledExecutor(
        new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build());
  }

  /** Starts everything; returns at once. */
  void start() {
    parts.leading().whenBegun().thenAcceptAsync(this::lead, lead).whenComplete(this::concluded);
    parts.cluster().start(parts.wakeUps(), new LedgerFeed(parts.ledgers()));
    Future<?> warm = chores.submit(parts.driver()::warmUp);
    LOG.debug("starting warm={}", warm.isDone());
    standWhenSynced();
  }

  private void standWhenSynced() {
    if (!parts.cluster().synced()) {
      later(this::standWhenSynced, SYNC_LOOK);
      return;
    }
    LOG.info("caches filled, standing for election");
    parts.election().start();
    standing = true;
    count();
  }

  private void count() {
    parts.census().take(parts.ledgers().snapshot(), System.nanoTime());
    later(this::count, CENSUS);
  }

  private void later(Runnable chore, Duration delay) {
    Future<?> next =
        chores.schedule(
            () -> guarded(chore, delay), delay.toMillis(), TimeUnit.MILLISECONDS);
    LOG.trace("scheduled done={}", next.isDone());
  }

  /** A chore that fails is not the last one. */
  @SuppressWarnings("CatchingUnchecked")
  private void guarded(Runnable chore, Duration delay) {
    try {
      chore.run();
    } catch (Exception e) {
      LOG.error("chore failed", e);
      later(chore, delay);
    }
  }

  /** Waits for as long as it takes: without the fence nothing may be granted. */
  private void lead(long epoch) {
    try {
      ImmutableList<ObjectKey> first = parts.engine().takeover().run();
      LOG.info("fence raised epoch={} halfDonePods={}", epoch, first.size());
      first.forEach(parts.contexts()::runNow);
      work();
    } catch (Unavailable e) {
      LOG.warn("fence not raised, trying again epoch={} why={}", epoch, e.toString());
      Future<?> again =
          lead.schedule(() -> relead(epoch), FENCE_RETRY.toMillis(), TimeUnit.MILLISECONDS);
      LOG.trace("scheduled done={}", again.isDone());
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private void relead(long epoch) {
    try {
      lead(epoch);
    } catch (Exception e) {
      broken.accept(e);
    }
  }

  private synchronized void work() {
    if (!ending) {
      parts.claims().start(workers);
      parts.contexts().start(workers);
      LOG.info("working workers={}", workers);
    }
  }

  private void concluded(Void nothing, Throwable failure) {
    if (failure != null) {
      broken.accept(failure);
    }
  }

  /**
   * Finishes what is under way and gives the lease back; waits for it.
   *
   * @return whether everything under way was finished; if not, the lease is left to run out
   */
  boolean stop() throws InterruptedException {
    synchronized (this) {
      ending = true;
    }
    LOG.info("stopping");
    chores.shutdownNow();
    lead.shutdownNow();
    boolean drained = lead.awaitTermination(DRAIN.toMillis(), TimeUnit.MILLISECONDS);
    drained &= parts.contexts().stop(DRAIN);
    drained &= parts.claims().stop(DRAIN);
    if (drained) {
      parts.election().close();
    }
    parts.cluster().close();
    parts.writes().shutdownNow();
    LOG.info("stopped drained={}", drained);
    return drained;
  }

  /** What health is judged by. */
  Health.Vitals vitals() {
    return new Health.Vitals(
        standing,
        ending,
        parts.election().alive(),
        ImmutableMap.of(
            "claims", parts.claims().oldestRunning(),
            "contexts", parts.contexts().oldestRunning()),
        parts.cluster().silences());
  }
}
