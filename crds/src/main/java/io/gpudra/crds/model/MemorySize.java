package io.gpudra.crds.model;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A size as people write it: a number and a unit of Mi, Gi, Ti, M, G, T; fractions allowed, a bare
 * number is none (api.md 2.3). It has two values, because cards are sold by sizes that the driver
 * does not report: {@link #nominalBytes} for comparing with the nominal size, {@link #exactBytes}
 * for the reserved memory.
 */
public record MemorySize(BigDecimal amount, Unit unit) {

  /** The hint for a value that is not a size. */
  public static final String HINT = "write a size with a unit, such as 16Gi or 512Mi";

  /** The limit exceeds that of any GPU; sums over the GPUs of a node stay small. */
  public static final long MAX_BYTES = 1L << 50;

  /** The maximum number of characters of a size. */
  public static final int MAX_LENGTH = 16;

  private static final Pattern SYNTAX =
      Pattern.compile("([1-9][0-9]*(?:[.][0-9]+)?|0[.][0-9]*[1-9][0-9]*)(Mi|Gi|Ti|M|G|T)");
  private static final long MEBI = 1L << 20;
  private static final long GIBI = 1L << 30;
  private static final ImmutableList<Long> CARD_SIZES_GI =
      ImmutableList.of(
          4L, 6L, 8L, 10L, 11L, 12L, 16L, 20L, 24L, 32L, 40L, 48L, 64L, 80L, 94L, 96L, 128L, 141L,
          144L, 180L, 192L, 288L);

  /** Units; the decimal ones differ from the binary ones in exact sizes only. */
  public enum Unit {
    MI(1_048_576L, 1_048_576L),
    GI(1_073_741_824L, 1_073_741_824L),
    TI(1_099_511_627_776L, 1_099_511_627_776L),
    M(1_000_000L, 1_048_576L),
    G(1_000_000_000L, 1_073_741_824L),
    T(1_000_000_000_000L, 1_099_511_627_776L);

    private final long exact;
    private final long nominal;

    Unit(long exact, long nominal) {
      this.exact = exact;
      this.nominal = nominal;
    }
  }

  /** The size; empty when the text is no size. Never throws. */
  public static Optional<MemorySize> parse(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    return text.length() <= MAX_LENGTH && matcher.matches()
        ? Optional.of(new MemorySize(new BigDecimal(matcher.group(1)), unit(matcher.group(2))))
        : Optional.empty();
  }

  private static Unit unit(String suffix) {
    return switch (suffix) {
      case "Mi" -> Unit.MI;
      case "Gi" -> Unit.GI;
      case "Ti" -> Unit.TI;
      case "M" -> Unit.M;
      case "G" -> Unit.G;
      default -> Unit.T;
    };
  }

  /** Bytes with M = 10^6 and Mi = 2^20, rounded down; {@link Long#MAX_VALUE} when more. */
  public long exactBytes() {
    return saturated(unit.exact);
  }

  /** Bytes with M, G, T read as Mi, Gi, Ti, for comparing with nominal memory. */
  public long nominalBytes() {
    return saturated(unit.nominal);
  }

  private long saturated(long bytesPerUnit) {
    BigDecimal bytes =
        amount.multiply(BigDecimal.valueOf(bytesPerUnit)).setScale(0, RoundingMode.FLOOR);
    return bytes.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  /**
   * The nominal size of an unknown product, in bytes: the smallest usual card size that is at most
   * 10 % above the size that the driver reports, else the next whole GiB.
   *
   * @param reportedBytes as the driver reports it, not negative
   */
  public static long nominalOfReported(long reportedBytes) {
    return CARD_SIZES_GI.stream()
        .map(size -> size * GIBI)
        .filter(size -> size >= reportedBytes)
        .findFirst()
        .filter(size -> size - reportedBytes <= reportedBytes / 10)
        .orElseGet(
            () ->
                LongMath.saturatedMultiply(
                    LongMath.divide(reportedBytes, GIBI, RoundingMode.CEILING), GIBI));
  }

  /**
   * The text for people: whole or tenths of Gi, below one Gi of Mi, such as {@code 80Gi}, {@code
   * 79.6Gi}.
   */
  public static String text(long bytes) {
    return bytes >= GIBI ? tenths(bytes, GIBI) + "Gi" : tenths(bytes, MEBI) + "Mi";
  }

  /**
   * The text for programs: exact up to 99 TB, such as {@code 4Gi}, {@code 512Mi}, {@code 1500.5M}.
   */
  public static String exactText(long bytes) {
    if (bytes % GIBI == 0) {
      return bytes / GIBI + "Gi";
    }
    return bytes % MEBI == 0
        ? bytes / MEBI + "Mi"
        : BigDecimal.valueOf(bytes).movePointLeft(6).stripTrailingZeros().toPlainString() + "M";
  }

  private static String tenths(long bytes, long unit) {
    BigDecimal value =
        BigDecimal.valueOf(bytes).divide(BigDecimal.valueOf(unit), 1, RoundingMode.FLOOR);
    return value.stripTrailingZeros().toPlainString();
  }
}
