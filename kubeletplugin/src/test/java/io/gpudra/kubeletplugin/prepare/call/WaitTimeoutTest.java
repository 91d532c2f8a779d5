package io.gpudra.kubeletplugin.prepare.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitTimeoutTest {

  private static final Duration MARGIN = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(40);
  private static final WaitTimeout SOME = new WaitTimeout(MARGIN, LONGEST);

  @Test
  void anAnswerHasTimeToArrive() {
    PrepareCall call = PrepareCall.endingIn(Duration.ofSeconds(45));

    assertThat(SOME.limitNanos(call))
        .isEqualTo(call.endsAtNanos().orElseThrow() - MARGIN.toNanos());
  }

  @Test
  void whoHasNoDeadlineIsAnsweredAllTheSame() {
    long before = System.nanoTime();
    long limit = SOME.limitNanos(PrepareCall.withoutDeadline());

    assertThat(limit - before).isGreaterThanOrEqualTo(LONGEST.toNanos());
    assertThat(limit - System.nanoTime()).isLessThanOrEqualTo(LONGEST.toNanos());
  }
}
