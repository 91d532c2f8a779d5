package io.gpudra.process;

import com.codahale.metrics.Gauge;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * Sums by labels that only grow; shown as a counter where a {@link Source} is registered.
 *
 * @param totals by the values of the labels, in their order
 */
public record LabelledTotals(
    ImmutableList<String> labels, ImmutableMap<ImmutableList<String>, Double> totals) {

  /** Provides the current totals. */
  public interface Source extends Gauge<LabelledTotals> {}
}
