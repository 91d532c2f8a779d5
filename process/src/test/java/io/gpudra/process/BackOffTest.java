package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackOffTest {

  private final BackOff backOff = new BackOff(Duration.ofMillis(200), Duration.ofSeconds(30));

  @ParameterizedTest
  @CsvSource({"1,100,200", "2,200,400", "5,1600,3200", "9,15000,30000", "100000,15000,30000"})
  void theWaitDoublesUpToALimitAndIsSpreadOverItsSecondHalf(int failures, long least, long most) {
    assertThat(backOff.after(failures)).isEqualTo(Duration.ofMillis(most));
    assertThat(backOff.after(failures, 0)).isEqualTo(Duration.ofMillis(least));
    assertThat(backOff.after(failures, 1)).isEqualTo(Duration.ofMillis(most));
  }
}
