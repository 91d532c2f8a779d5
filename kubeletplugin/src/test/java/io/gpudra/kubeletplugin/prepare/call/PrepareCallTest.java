package io.gpudra.kubeletplugin.prepare.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PrepareCallTest {

  @Test
  void anAnswerNeedsTimeToArriveAndSomebodyWhoListens() {
    assertThat(PrepareCall.withoutDeadline().tooLate()).isFalse();
    assertThat(PrepareCall.endingIn(Duration.ofHours(1)).tooLate()).isFalse();
    assertThat(PrepareCall.endingIn(Duration.ofMillis(400)).tooLate()).isTrue();

    PrepareCall cancelled = PrepareCall.withoutDeadline();
    cancelled.cancel();
    assertThat(cancelled.tooLate()).isTrue();
  }
}
