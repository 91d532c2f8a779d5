package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.app.ControllerHealth.ProcessState;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.loop.WorkQueue;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker that hangs in a call, on a clock that is told how much time has passed. */
class StuckWorkerTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A pass adds the finalizer and grants a claim, each in five attempts of a write and a read. */
  private static final int MAX_CALLS = 20;

  private final AtomicLong now = new AtomicLong();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private final WorkQueue queue = new WorkQueue(now::get);
  private final WorkLoop idle = loop("claims", new WorkQueue(now::get));
  private final WorkLoop loop = loop("contexts", queue);
  private final ControllerHealth health =
      new ControllerHealth(
          () ->
              new ProcessState(
                  true,
                  false,
                  true,
                  ProcessState.oldestWork(ImmutableList.of(idle, loop)),
                  ImmutableMap.of(),
                  ImmutableList.of()));

  private WorkLoop loop(String name, WorkQueue of) {
    return new WorkLoop(name, of, this::hang, new MetricRegistry());
  }

  private ReconcileResult hang(ObjectKey key) throws InterruptedException {
    hangs.countDown();
    goesOn.await();
    return ReconcileResult.done();
  }

  @BeforeEach
  void start() throws InterruptedException {
    loop.start(2);
    queue.add(new ObjectKey("team", "pod"));
    hangs.await();
  }

  @AfterEach
  void stop() throws InterruptedException {
    goesOn.countDown();
    assertThat(loop.stop(LIMIT)).isTrue();
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void slowCallsWithinTheirTimeoutAreNoReasonToRestart() {
    pass(ControllerDelays.API_CALL.multipliedBy(MAX_CALLS));
    assertThat(health.ailments()).isEmpty();
  }

  @Test
  void theProbeNamesWhatTheWorkerHangsInUntilItGoesOn() {
    pass(ControllerDelays.MAX_WORK);
    assertThat(health.ailments()).isEmpty();
    pass(Duration.ofSeconds(1));
    assertThat(health.ailments())
        .containsExactly("a worker of contexts has been busy with team/pod for 121 s");
    assertThat(health.hindrances()).isEmpty();

    goesOn.countDown();
    await().atMost(LIMIT).until(() -> health.ailments().isEmpty());
  }
}
