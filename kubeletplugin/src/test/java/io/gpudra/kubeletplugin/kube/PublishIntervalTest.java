package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublishIntervalTest {

  private static PublishInterval pace(double random) {
    return new PublishInterval(
        Duration.ofMillis(200), Duration.ofSeconds(60), Duration.ofSeconds(30), () -> random);
  }

  @Test
  void beatsWithTenPercentOfJitter() {
    assertThat(pace(0).untilHeartbeat()).isEqualTo(Duration.ofSeconds(54));
    assertThat(pace(1).untilHeartbeat()).isEqualTo(Duration.ofSeconds(66));
  }

  @ParameterizedTest
  @CsvSource({"1,100,200", "1000,15000,30000"})
  void retriesLaterEachTimeUpToALimit(int failures, long least, long most) {
    assertThat(pace(0).untilRetry(failures)).isEqualTo(Duration.ofMillis(least));
    assertThat(pace(1).untilRetry(failures)).isEqualTo(Duration.ofMillis(most));
  }
}
