package io.gpudra.controller.loop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkersTest {
  private static final ObjectKey A = new ObjectKey("ns", "a");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final WorkQueue queue = new WorkQueue(System::nanoTime);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch finish = new CountDownLatch(1);

  private WorkLoop one(Reconciler reconciler) {
    WorkLoop worker = new WorkLoop("one", queue, reconciler, new MetricRegistry());
    worker.start(1);
    return worker;
  }

  @AfterEach
  void stop() {
    finish.countDown();
    queue.stop();
  }

  /** Again and again, since a worker that does not wait yet needs nobody to wake it. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void whoWaitsIsWokenForWhatIsAddedAndForWhatBecomesDue(long delayMillis) {
    AtomicInteger seen = new AtomicInteger();
    WorkLoop unused =
        one(
            key -> {
              seen.incrementAndGet();
              return ReconcileResult.done();
            });
    for (int i = 1; i <= 5; i++) {
      int times = i;
      queue.addAfter(A, Duration.ofMillis(delayMillis));
      await().atMost(LIMIT).until(() -> seen.get() == times);
    }
  }

  @Test
  void oneDelayThatIsOverWakesOneWorker() throws Exception {
    int workers = 16;
    int delays = 50;
    AtomicInteger clockRead = new AtomicInteger();
    WorkQueue counted =
        new WorkQueue(
            () -> {
              clockRead.incrementAndGet();
              return System.nanoTime();
            });
    CountDownLatch all = new CountDownLatch(workers + delays);
    CountDownLatch busy = new CountDownLatch(workers);
    for (int i = 0; i < workers; i++) {
      counted.add(new ObjectKey("ns" + i, "now"));
    }
    WorkLoop loop =
        new WorkLoop(
            "many",
            counted,
            key -> {
              busy.countDown();
              busy.await();
              all.countDown();
              return ReconcileResult.done();
            },
            new MetricRegistry());
    loop.start(workers);
    for (int i = 1; i <= delays; i++) {
      counted.addAfter(new ObjectKey("ns", "later" + i), Duration.ofMillis(200 + 2 * i));
    }
    all.await();
    counted.stop();

    assertThat(clockRead).hasValueLessThan(delays * workers);
  }

  @Test
  void whatIsDueEarlierThanWhatSomebodyIsOnWatchForIsNotLate() {
    AtomicInteger seen = new AtomicInteger();
    WorkLoop loop = loop(key -> seen.incrementAndGet());
    loop.start(2);
    awaitTheirWaiting();
    // Who is on watch for it has begun to wait later than the other one, who is woken next.
    queue.addAfter(new ObjectKey("ns", "tomorrow"), Duration.ofDays(1));
    await().atMost(LIMIT).until(() -> states().anyMatch(Thread.State.TIMED_WAITING::equals));
    queue.addAfter(A, Duration.ofMillis(1));

    await().atMost(LIMIT).until(() -> seen.get() == 1);
  }

  @Test
  void whoLeavesTheWatchForWorkIsRelievedByAnother() {
    ObjectKey later = new ObjectKey("other", "later");
    AtomicInteger seen = new AtomicInteger();
    WorkLoop loop =
        loop(
            key -> {
              if (key.equals(later)) {
                return seen.incrementAndGet();
              }
              finish.await();
              return 0;
            });
    queue.addAfter(later, Duration.ofMillis(500));
    loop.start(2);
    awaitTheirWaiting();
    queue.add(A);

    await().atMost(LIMIT).until(() -> seen.get() == 1);
  }

  @Test
  void whoWatchedForWhatCameEarlierWatchesForTheNext() {
    ObjectKey next = new ObjectKey("ns", "next");
    AtomicInteger seen = new AtomicInteger();
    WorkLoop unused =
        one(
            key -> {
              seen.addAndGet(key.equals(next) ? 1 : 0);
              return ReconcileResult.done();
            });
    queue.addAfter(A, Duration.ofMillis(50));
    queue.addAfter(next, Duration.ofMillis(100));
    queue.add(A);

    await().atMost(LIMIT).until(() -> seen.get() == 1);
  }

  private interface Work {
    int on(ObjectKey key) throws InterruptedException;
  }

  private WorkLoop loop(Work work) {
    return new WorkLoop(
        "two",
        queue,
        key -> {
          int unused = work.on(key);
          return ReconcileResult.done();
        },
        new MetricRegistry());
  }

  private static void awaitTheirWaiting() {
    await()
        .atMost(LIMIT)
        .until(() -> states().filter(state -> state != Thread.State.RUNNABLE).count() == 2);
  }

  private static Stream<Thread.State> states() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("two-"))
        .map(Thread::getState);
  }

  @Test
  void thereAreAsManyAsWereStarted() {
    WorkLoop unused = one(key -> ReconcileResult.done());

    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .contains("one-0")
        .doesNotContain("one-1");
  }

  @Test
  void whoStopsThemWaitsForWorkThatEndsInTime() throws Exception {
    WorkLoop worker =
        one(
            key -> {
              begun.countDown();
              finish.await();
              return ReconcileResult.done();
            });
    queue.add(A);
    begun.await();

    CompletableFuture.delayedExecutor(100, MILLISECONDS).execute(finish::countDown);
    assertThat(worker.stop(LIMIT)).isTrue();
  }

  @Test
  void whatDoesNotEndInTimeIsInterrupted() throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    WorkLoop worker =
        one(
            key -> {
              begun.countDown();
              try {
                finish.await();
              } finally {
                interrupted.complete(finish.getCount() > 0);
              }
              return ReconcileResult.done();
            });
    queue.add(A);
    begun.await();

    assertThat(worker.stop(Duration.ofMillis(1))).isFalse();
    assertThat(interrupted).succeedsWithin(LIMIT).isEqualTo(true);
  }
}
