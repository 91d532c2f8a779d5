package io.gpudra.controller.gpu.cel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DottedVersionTest {

  @ParameterizedTest
  @CsvSource({
    "535.104.05, 535, 104, 5, 0",
    "8.0, 8, 0, 0, 0",
    "12, 12, 0, 0, 0",
    "1.2.3.4.5, 1, 2, 3, 4",
    "535.104-server, 535, 104, 0, 0",
    "550rc1, 550, 0, 0, 0"
  })
  void readsUpToFourNumbersAndCutsTheRest(String text, long a, long b, long c, long d) {
    assertThat(DottedVersion.parse(text)).contains(new DottedVersion(a, b, c, d));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "v1", "unknown", ".5", "-1"})
  void refusesWhatDoesNotStartWithANumber(String text) {
    assertThat(DottedVersion.parse(text)).isEmpty();
  }

  @Test
  void comparesNumbersNotLetters() {
    assertThat(version("10.0")).isGreaterThan(version("9.9"));
    assertThat(version("535.104.05")).isGreaterThan(version("535.86.05"));
    assertThat(version("8")).isEqualTo(version("8.0.0.0"));
  }

  @Test
  void numbersBeyondTheRangeDoNotOverflow() {
    assertThat(DottedVersion.parse("9".repeat(40)).orElseThrow().first()).isPositive();
  }

  private static DottedVersion version(String text) {
    return DottedVersion.parse(text).orElseThrow();
  }
}
