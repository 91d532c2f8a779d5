package io.gpudra.bench.figure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measurements of one thing. */
public final class Sample {
  private static final double NANOS_PER_MILLI = 1e6;

  private final List<Double> values = new ArrayList<>();

  /** One more. */
  public void add(double value) {
    values.add(value);
  }

  /** One more, in milliseconds. */
  public void addMillisSince(long startNanos) {
    add((System.nanoTime() - startNanos) / NANOS_PER_MILLI);
  }

  /**
   * What is left of each value without its part in each of these, measured at the same time: a
   * machine that is slow for a while is slow for both.
   */
  public Sample beside(Sample... parts) {
    Sample rest = new Sample();
    for (int i = 0; i < values.size(); i++) {
      double value = values.get(i);
      for (Sample part : parts) {
        value -= part.values.get(i);
      }
      rest.add(value);
    }
    return rest;
  }

  /** The one in the middle. */
  public double median() {
    return quantile(0.5);
  }

  /** From the least to the most. */
  public double range() {
    return quantile(1) - quantile(0);
  }

  /**
   * The smallest value that is not exceeded by this share of all.
   *
   * @throws IllegalStateException when nothing was measured
   */
  public double quantile(double share) {
    if (values.isEmpty()) {
      throw new IllegalStateException("nothing was measured");
    }
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }
}
