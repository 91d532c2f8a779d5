package io.gpudra.controller.view;

import java.time.Duration;
import java.time.Instant;

/** Formats durations for people. */
public final class AgeText {
  private static final int TWO = 2;

  private AgeText() {}

  /** {@code 3 h}; never negative, although clocks differ. */
  public static String between(Instant since, Instant now) {
    Duration age = Duration.between(since, now);
    return text(age.isNegative() ? Duration.ZERO : age);
  }

  /**
   * A duration in the largest unit of which it has two: {@code 45 s}, {@code 12 min}, {@code 3 h}
   * or {@code 5 d}.
   */
  public static String text(Duration age) {
    if (age.toDays() >= TWO) {
      return age.toDays() + " d";
    }
    if (age.toHours() >= TWO) {
      return age.toHours() + " h";
    }
    return age.toMinutes() >= TWO ? age.toMinutes() + " min" : age.toSeconds() + " s";
  }
}
