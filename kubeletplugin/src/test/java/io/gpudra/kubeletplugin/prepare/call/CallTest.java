package io.gpudra.kubeletplugin.prepare.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallTest {

  @Test
  void anAnswerNeedsTimeToArriveAndSomebodyWhoListens() {
    assertThat(Call.withoutDeadline().tooLate()).isFalse();
    assertThat(Call.endingIn(Duration.ofHours(1)).tooLate()).isFalse();
    assertThat(Call.endingIn(Duration.ofMillis(400)).tooLate()).isTrue();

    Call cancelled = Call.withoutDeadline();
    cancelled.cancel();
    assertThat(cancelled.tooLate()).isTrue();
  }
}
