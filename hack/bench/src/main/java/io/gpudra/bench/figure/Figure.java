package io.gpudra.bench.figure;

import java.util.OptionalDouble;

/**
 * One number that was measured.
 *
 * @param what the name of the number
 * @param unit such as {@code ms}; empty for a ratio or a count
 * @param budget the most it may be; empty when nothing is promised
 */
public record Figure(String what, double value, String unit, OptionalDouble budget) {

  /** A number about which nothing is promised. */
  public static Figure of(String what, double value, String unit) {
    return new Figure(what, value, unit, OptionalDouble.empty());
  }

  /** The same number with a budget. */
  public Figure atMost(double most) {
    return new Figure(what, value, unit, OptionalDouble.of(most));
  }

  /** Whether the budget holds; true without one. */
  public boolean held() {
    return budget.isEmpty() || value <= budget.getAsDouble();
  }
}
