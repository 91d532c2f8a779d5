package io.gpudra.controller.client.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElectionTimingTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "15000 | 10000 | 2000 | 4000 |",
        "4000 | 3000 | 500 | 2000 |",
        "15000 | 15000 | 2000 | 4000 | --lease-duration must be longer than --renew-deadline",
        "15000 | 2000 | 2000 | 4000 | --renew-deadline must be longer than --retry-period",
        "15000 | 10000 | 0 | 4000 | --retry-period must be more than 0",
        "15000 | 10000 | 2000 | 0 | --api-timeout must be more than 0",
        "6000 | 5000 | 2000 | 4000 | --lease-duration must be longer than --retry-period and --api-timeout together",
      })
  void timesThatCannotWorkAreRefused(
      long lease, long renew, long retry, long call, String problem) {
    ElectionTiming timing =
        new ElectionTiming(
            Duration.ofMillis(lease),
            Duration.ofMillis(renew),
            Duration.ofMillis(retry),
            Duration.ofMillis(call));

    assertThat(timing.problems()).isEqualTo(problem == null ? List.of() : List.of(problem));
  }
}
