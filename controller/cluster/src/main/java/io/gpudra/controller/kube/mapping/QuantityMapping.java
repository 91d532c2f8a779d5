package io.gpudra.controller.kube.mapping;

import io.kubernetes.client.custom.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Quantity → number. */
final class QuantityMapping {
  private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE, 3);
  private static final BigDecimal MIN = BigDecimal.valueOf(1, 3);

  private QuantityMapping() {}

  /**
   * The thousandths of a quantity; at least 0, and at most the largest number. No digit is computed
   * of numbers outside of that, whose exponent may be of any size.
   */
  static long thousandths(Quantity quantity, RoundingMode rounding) {
    BigDecimal number = quantity.getNumber();
    if (number.compareTo(MAX) >= 0) {
      return Long.MAX_VALUE;
    }
    if (number.compareTo(MIN) < 0) {
      return number.signum() > 0 && rounding == RoundingMode.UP ? 1 : 0;
    }
    return number.movePointRight(3).setScale(0, rounding).longValueExact();
  }
}
