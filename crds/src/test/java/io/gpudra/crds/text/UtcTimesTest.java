package io.gpudra.crds.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UtcTimesTest {
  private static final List<String> USUAL =
      List.of("2026-11-25T16:23:35Z", "2026-11-25T16:23:35.803229641Z", "0001-01-01T00:00:00.5Z");

  private static Optional<Instant> asInJava(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> read(String text) {
    try {
      return Optional.of(UtcTimes.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2024-02-29T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-25T24:00:00Z",
        "2026-11-25T24:00:01Z",
        "2016-12-31T23:59:60Z",
        "2026-11-25T16:23Z",
        "2026-11-25T16:23:35",
        "2026-11-25T16:23:35.Z",
        "2026-11-25T16:23:35.1234567890Z",
        "2026-11-25T16:23:35,5Z",
        "2026-11-25t16:23:35z",
        "2026-11-25T16:23:35+01:00",
        "+12026-11-25T16:23:35Z",
        "-001-11-25T16:23:35Z",
        "2026-11-25T16:23:3\u0665Z",
        "2026-11-25 16:23:35Z",
        "",
        "Z"
      })
  void whateverIsWrittenIsReadAsJavaReadsIt(String text) {
    assertThat(read(text)).isEqualTo(asInJava(text));
  }

  @Test
  void timesAreReadAsJavaReadsThem() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10_000; i++) {
      Instant time =
          Instant.ofEpochSecond(random.nextLong(4_000_000_000L), random.nextInt(1_000_000_000))
              .truncatedTo(i % 2 == 0 ? ChronoUnit.SECONDS : ChronoUnit.NANOS);
      assertThat(UtcTimes.parse(time.toString())).isEqualTo(time);
    }
  }

  @Test
  void textsThatAreAlmostTimesAreReadAsJavaReadsThem() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder(USUAL.get(i % USUAL.size()));
      int place = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.deleteCharAt(place);
        case 1 -> text.insert(place, (char) random.nextInt(' ', '~'));
        default -> text.setCharAt(place, "0123456789-:.TZ+".charAt(random.nextInt(16)));
      }
      assertThat(read(text.toString())).as(text.toString()).isEqualTo(asInJava(text.toString()));
    }
  }

  @Test
  void whatIsNoTimeFails() {
    assertThatThrownBy(() -> UtcTimes.parse("2026-11-31T16:23:35Z"))
        .isInstanceOf(DateTimeException.class)
        .hasMessageContaining("2026-11-31");
  }
}
