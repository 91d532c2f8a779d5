package io.gpudra.controller.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class WorkLoopTest {
  private static final ObjectKey A = new ObjectKey("ns", "a");
  private static final ObjectKey B = new ObjectKey("ns", "b");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
  private final MetricRegistry metrics = new MetricRegistry();
  private final WorkQueue queue = new WorkQueue(now::get);
  private final List<ObjectKey> seen = new ArrayList<>();
  private final Queue<Reconciler> script = new ArrayDeque<>();
  private final WorkLoop loop = loop(this::scripted);

  private WorkLoop loop(Reconciler reconciler) {
    return new WorkLoop("test", queue, reconciler, metrics);
  }

  private ReconcileResult scripted(ObjectKey key) throws Exception {
    seen.add(key);
    Reconciler next = script.poll();
    return next == null ? ReconcileResult.done() : next.reconcile(key);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private long count(String meter) {
    return metrics.meter("loop.test." + meter).getCount();
  }

  @Test
  void whatComesFirstDoesSoAlsoWhenItIsQueuedAlready() {
    queue.add(A);
    queue.add(B);
    queue.addFirst(B);
    while (loop.runOnce()) {}

    assertThat(seen).containsExactly(B, A);
  }

  @Test
  void whatComesFirstCannotStarveTheOthers() {
    queue.add(A);
    queue.add(B);
    for (int i = 0; i < 40; i++) {
      queue.addFirst(new ObjectKey("ns", "first" + i));
    }
    while (loop.runOnce()) {}

    assertThat(seen).hasSize(42);
    assertThat(seen.indexOf(A)).isEqualTo(15);
    assertThat(seen.indexOf(B)).as("after as many again").isEqualTo(31);
  }

  @Test
  void whatCouldNotBeFinishedIsTriedAgainBeforeWhatWaits() {
    script.add(key -> ReconcileResult.again());
    queue.add(A);
    assertThat(loop.runOnce()).isTrue();
    queue.add(B);
    pass(Duration.ofMinutes(1));
    while (loop.runOnce()) {}

    assertThat(seen).containsExactly(A, A, B);
    assertThat(count("again")).isEqualTo(1);
    assertThat(count("failed")).isZero();
  }

  @Test
  void aKeyAddedTwiceIsReconciledOnce() {
    queue.add(A);
    queue.add(B);
    queue.add(A);

    assertThat(queue.depth()).isEqualTo(2);
    while (loop.runOnce()) {}

    assertThat(seen).containsExactly(A, B);
  }

  @Test
  void aKeyAddedWhileItIsWorkedOnIsReconciledAgain() {
    // Asserted outside: the loop survives whatever a reconciler throws.
    List<Object> whileUnderWay = new ArrayList<>();
    script.add(
        key -> {
          queue.add(A);
          whileUnderWay.add(loop.runOnce());
          loop.runNow(A);
          whileUnderWay.addAll(seen);
          return ReconcileResult.done();
        });
    queue.add(A);

    while (loop.runOnce()) {}

    assertThat(whileUnderWay).containsExactly(false, A);
    assertThat(seen).containsExactly(A, A);
    assertThat(count("done")).isEqualTo(2);
  }

  @Test
  void whatIsDueWhileItIsWorkedOnWaitsForItsEnd() {
    List<ObjectKey> whileUnderWay = new ArrayList<>();
    script.add(
        key -> {
          queue.addAfter(A, Duration.ofSeconds(1));
          pass(Duration.ofSeconds(1));
          loop.runOnce();
          whileUnderWay.addAll(seen);
          return ReconcileResult.done();
        });
    queue.add(A);

    while (loop.runOnce()) {}

    assertThat(whileUnderWay).containsExactly(A);
    assertThat(seen).containsExactly(A, A);
  }

  @Test
  void ofSeveralDelaysTheEarliestCountsAndAnEventMakesThemNeedless() {
    queue.addAfter(A, Duration.ofSeconds(30));
    queue.addAfter(A, Duration.ofSeconds(10));
    queue.addAfter(A, Duration.ofSeconds(20));
    pass(Duration.ofSeconds(9));
    assertThat(loop.runOnce()).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(loop.runOnce()).isTrue();
    pass(Duration.ofSeconds(60));
    assertThat(loop.runOnce()).as("later delays of the same key").isFalse();

    queue.addAfter(A, Duration.ofSeconds(10));
    queue.add(A);
    assertThat(loop.runOnce()).isTrue();
    pass(Duration.ofSeconds(60));
    assertThat(loop.runOnce()).isFalse();
  }

  @Test
  void whatIsOverAndOverDelayedAndAddedIsKeptOnce() {
    queue.addAfter(B, Duration.ofSeconds(1));
    for (int i = 0; i < 10_000; i++) {
      script.add(key -> ReconcileResult.after(Duration.ofSeconds(30)));
      queue.add(A);
      assertThat(loop.runOnce()).isTrue();
    }
    assertThat(metrics.gauge("loop.test.delayed").getValue())
        .asInstanceOf(INTEGER)
        .isBetween(2, 99);
    pass(Duration.ofSeconds(30));
    assertThat(loop.runOnce()).isTrue();
    assertThat(loop.runOnce()).isTrue();
    assertThat(seen).endsWith(B, A);
    assertThat(metrics.gauge("loop.test.delayed").getValue()).isEqualTo(0);
  }

  @Test
  void failuresWaitFiveMillisecondsDoublingToAMinuteAndSuccessForgetsThem() {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      script.add(
          key -> {
            throw new IllegalStateException("scripted");
          });
    }
    queue.add(A);
    long last = now.get();
    while (seen.size() < 16) {
      if (loop.runOnce()) {
        waits.add((now.get() - last) / 1_000_000);
        last = now.get();
      }
      pass(Duration.ofMillis(1));
    }
    assertThat(waits.subList(1, 5)).containsExactly(5L, 10L, 20L, 40L);
    assertThat(waits.get(15)).isEqualTo(60_000L);

    pass(Duration.ofMinutes(1));
    assertThat(loop.runOnce()).isTrue();
    script.add(key -> ReconcileResult.again());
    queue.add(A);
    assertThat(loop.runOnce()).isTrue();
    pass(Duration.ofMillis(4));
    assertThat(loop.runOnce()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(loop.runOnce()).as("first wait again").isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // A broken reconciler is what this is about.
  void neitherNullNorAnErrorStrandsAKey() {
    script.add(key -> null);
    script.add(
        key -> {
          throw new AssertionError("scripted");
        });
    queue.add(A);
    for (int i = 0; i < 3; i++) {
      assertThat(loop.runOnce()).isTrue();
      pass(Duration.ofMinutes(1));
    }
    assertThat(seen).containsExactly(A, A, A);
    assertThat(count("failed")).isEqualTo(2);
    assertThat(count("done")).isEqualTo(1);
  }

  @Test
  void anInterruptedReconcilerLeavesItsWorkerInterrupted() {
    script.add(
        key -> {
          throw new InterruptedException("scripted");
        });
    script.add(
        key -> {
          throw new IllegalStateException("scripted");
        });
    queue.add(A);
    queue.add(B);

    assertThat(loop.runOnce()).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(loop.runOnce()).isTrue();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void everyOutcomeHasItsMeterFromTheStart() {
    assertThat(metrics.getMeters().keySet())
        .containsExactlyInAnyOrder(
            "loop.test.done", "loop.test.after", "loop.test.again", "loop.test.failed");
    assertThat(metrics.getGauges().keySet())
        .containsExactlyInAnyOrder(
            "loop.test.depth",
            "loop.test.delayed",
            "loop.test.busy",
            "loop.test.workers",
            "loop.test.failing",
            "loop.test.oldestRunningSeconds");
    assertThat(metrics.getTimers().keySet()).containsExactly("loop.test.latency");
  }

  @Test
  void theOldestKeyUnderWayShowsAStuckWorker() {
    assertThat(loop.oldestRunning()).isEmpty();
    List<KeyInProgress> whileUnderWay = new ArrayList<>();
    List<Object> seconds = new ArrayList<>();
    script.add(
        key -> {
          pass(Duration.ofSeconds(7));
          loop.oldestRunning().ifPresent(whileUnderWay::add);
          seconds.add(metrics.gauge("loop.test.oldestRunningSeconds").getValue());
          return ReconcileResult.done();
        });
    queue.add(A);
    assertThat(loop.runOnce()).isTrue();
    assertThat(whileUnderWay).containsExactly(new KeyInProgress(A, Duration.ofSeconds(7)));
    assertThat(seconds).containsExactly(7.0);
    assertThat(loop.oldestRunning()).isEmpty();
  }

  @Test
  void runNowGoesBeforeTheOthersAndTakesTheKeyOutOfTheQueue() {
    queue.add(B);
    queue.add(A);
    loop.runNow(A);
    while (loop.runOnce()) {}
    assertThat(seen).containsExactly(A, B);
    queue.addFirst(A);
    loop.runNow(A);
    assertThat(loop.runOnce()).isFalse();
    assertThat(seen).containsExactly(A, B, A);
  }

  @Test
  void noKeyIsLostAndNoneRunsTwiceAtOnceWithManyWorkers() {
    AtomicInteger overlaps = new AtomicInteger();
    AtomicIntegerArray running = new AtomicIntegerArray(50);
    AtomicIntegerArray version = new AtomicIntegerArray(50);
    AtomicIntegerArray handled = new AtomicIntegerArray(50);
    WorkQueue real = new WorkQueue(System::nanoTime);
    WorkLoop workers =
        new WorkLoop(
            "workers",
            real,
            key -> {
              int i = Integer.parseInt(key.name());
              overlaps.addAndGet(running.getAndIncrement(i));
              handled.set(i, version.get(i));
              running.decrementAndGet(i);
              return ReconcileResult.done();
            },
            metrics);
    workers.start(4);
    for (int round = 0; round < 2000; round++) {
      int i = round % 50;
      version.incrementAndGet(i);
      real.add(new ObjectKey("ns", Integer.toString(i)));
    }
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              for (int i = 0; i < 50; i++) {
                assertThat(handled.get(i)).isEqualTo(version.get(i));
              }
            });
    assertThat(overlaps.get()).isZero();
    real.stop();
  }

  @Test
  void differentKeysAreReconciledSideBySide() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    WorkQueue real = new WorkQueue(System::nanoTime);
    WorkLoop workers =
        new WorkLoop(
            "side-by-side",
            real,
            key -> {
              both.countDown();
              both.await();
              return ReconcileResult.done();
            },
            metrics);
    workers.start(4);
    real.add(A);
    real.add(B);
    assertThat(both.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).as("both under way").isTrue();
    assertThat(workers.stop(LIMIT)).isTrue();
  }

  @Test
  void stopWaitsForTheWorkUnderWayAndTakesNoNewKey() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    WorkQueue real = new WorkQueue(System::nanoTime);
    AtomicInteger finished = new AtomicInteger();
    WorkLoop workers =
        new WorkLoop(
            "drained",
            real,
            key -> {
              started.countDown();
              finish.await();
              finished.incrementAndGet();
              return ReconcileResult.done();
            },
            metrics);
    workers.start(1);
    real.add(A);
    real.add(B);
    started.await();
    assertThat(workers.stop(Duration.ofMillis(1))).as("drained in time").isFalse();
    finish.countDown();
    assertThat(workers.stop(LIMIT)).isTrue();
    assertThat(finished.get()).isLessThanOrEqualTo(1);
    assertThat(real.depth()).as("B, and A if it was interrupted before").isGreaterThanOrEqualTo(1);
  }
}
