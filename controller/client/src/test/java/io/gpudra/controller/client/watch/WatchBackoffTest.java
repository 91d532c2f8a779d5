package io.gpudra.controller.client.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchBackoffTest {

  @ParameterizedTest
  @CsvSource({
    "1,1",
    "60,60",
    "86400,60",
    "9223372036854775807,60",
    "-5,0",
    "'Wed, 21 Oct 2026 07:28:00 GMT',0"
  })
  void waitsAsLongAsTheServerAsksButNotForLong(String retryAfter, long seconds) {
    assertThat(WatchBackoff.askedFor(retryAfter)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void waitsAsLongAsItThinksWhenTheServerDoesNotSay() {
    assertThat(WatchBackoff.askedFor(null)).isZero();
  }
}
