package io.gpudra.crds.api.quota;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Pattern;

/** A number of GPUs and parts of them, as people write it: 4, 2.5 or 500m. */
public record GpuAmount(long thousandths) {

  /** The hint for a value that is no number of GPUs. */
  public static final String HINT = "write a number of GPUs such as 4, 2.5 or 500m";

  /** The digits of the largest integer. */
  private static final int MAX_LENGTH = 19;

  private static final Pattern SYNTAX = Pattern.compile("[0-9]+([.][0-9]{1,3}|m)?");

  private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);

  /** The amount; empty when the text is none. Never throws. */
  public static Optional<GpuAmount> parse(String text) {
    return text.length() <= MAX_LENGTH && SYNTAX.matcher(text).matches()
        ? Optional.of(new GpuAmount(thousandths(text)))
        : Optional.empty();
  }

  private static long thousandths(String text) {
    BigDecimal exact =
        text.endsWith("m")
            ? new BigDecimal(text.substring(0, text.length() - 1))
            : new BigDecimal(text).movePointRight(3);
    return exact.min(MAX).longValueExact();
  }

  /** The shortest text: 2 or 2500m. */
  public String text() {
    return thousandths % 1_000 == 0 ? String.valueOf(thousandths / 1_000) : thousandths + "m";
  }
}
