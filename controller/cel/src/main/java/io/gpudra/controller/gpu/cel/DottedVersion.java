package io.gpudra.controller.gpu.cel;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of drivers and GPUs: up to four numbers, compared as numbers. NVIDIA's {@code
 * 535.104.05} is no semantic version, so no library for semantic versions reads it.
 */
public record DottedVersion(long first, long second, long third, long fourth)
    implements Comparable<DottedVersion> {

  static final DottedVersion UNKNOWN = new DottedVersion(0, 0, 0, 0);

  private static final Pattern NUMBERS =
      Pattern.compile("(\\d{1,18})(?:\\.(\\d{1,18}))?(?:\\.(\\d{1,18}))?(?:\\.(\\d{1,18}))?.*");

  private static final Comparator<DottedVersion> ORDER =
      Comparator.comparingLong(DottedVersion::first)
          .thenComparingLong(DottedVersion::second)
          .thenComparingLong(DottedVersion::third)
          .thenComparingLong(DottedVersion::fourth);

  /** Cuts any text after the numbers; empty when there is no number at the start. */
  public static Optional<DottedVersion> parse(String text) {
    Matcher matcher = NUMBERS.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long[] part = new long[4];
    Arrays.setAll(
        part, i -> matcher.group(i + 1) == null ? 0 : Long.parseLong(matcher.group(i + 1)));
    return Optional.of(new DottedVersion(part[0], part[1], part[2], part[3]));
  }

  @Override
  public int compareTo(DottedVersion other) {
    return ORDER.compare(this, other);
  }
}
