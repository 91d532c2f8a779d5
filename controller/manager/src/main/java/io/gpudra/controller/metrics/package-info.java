/**
 * Metrics of the cluster, in contrast to those of the process: {@code Stopwatches} measures waiting
 * times, {@code Figures} counts with every census, {@code Metering} measures GPU time from the
 * ledgers.
 *
 * <p>What must stay true: no work waits for a measurement, and its memory is bounded. Label values
 * that users choose are counted by {@link io.gpudra.process.Tally}, which limits their number. The
 * names are in {@code docs/reference/metrics.md}.
 */
@NullMarked
package io.gpudra.controller.metrics;

import org.jspecify.annotations.NullMarked;
