package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationTextTest {

  @ParameterizedTest
  @CsvSource({"500ms, 500", "15s, 15000", "2m, 120000", "1h, 3600000"})
  void durationsHaveUnits(String text, long millis) {
    assertThat(new DurationText().convert(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "15", "s", "-1s", "1.5s", "15 s", "15S", "9999999999999h"})
  void otherDurationsAreRefused(String text) {
    assertThatThrownBy(() -> new DurationText().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("'" + text + "' is no duration; write one such as 500ms, 15s or 2m");
  }
}
