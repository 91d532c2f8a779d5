package io.gpudra.controller.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkQueueTest {
  private static final ObjectKey A = new ObjectKey("ns", "a");
  private static final ObjectKey B = new ObjectKey("ns", "b");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final AtomicLong now = new AtomicLong();

  private WorkQueue queue() {
    return new WorkQueue(now::get);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 1_500_000_000, (1L << 62) - 750_000_000})
  void theOneThatIsDueFirstComesFirstWhereverTheClockBegins(long origin) {
    now.set(origin);
    WorkQueue queue = queue();
    queue.addAfter(A, SECOND.multipliedBy(2));
    queue.addAfter(B, SECOND);
    pass(SECOND);

    assertThat(queue.depth()).isEqualTo(1);
    assertThat(queue.poll()).contains(B);
    assertThat(queue.poll()).isEmpty();
    pass(SECOND);
    assertThat(queue.poll()).contains(A);
  }

  @Test
  void whatIsDueAtTheSameMomentKeepsItsOrder() {
    WorkQueue queue = queue();
    queue.addAfter(A, SECOND);
    queue.addAfter(B, SECOND);
    pass(SECOND);

    assertThat(queue.poll()).contains(A);
    assertThat(queue.poll()).contains(B);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void noDelayIsNow(long seconds) {
    WorkQueue queue = queue();
    queue.addAfter(A, Duration.ofSeconds(seconds));

    assertThat(queue.poll()).contains(A);
  }

  @Test
  void whatIsBeingWorkedOnCannotBeTaken() {
    WorkQueue queue = queue();
    queue.add(A);

    assertThat(queue.poll()).contains(A);
    assertThat(queue.takeNow(A)).isFalse();
    queue.finished(A);
    assertThat(queue.takeNow(A)).isTrue();
    assertThat(queue.oldestRunning()).isEqualTo(Optional.of(new KeyInProgress(A, Duration.ZERO)));
  }
}
