/**
 * What is measured of the cluster rather than of the process: {@code Stopwatches} time what people
 * wait for, {@code Figures} are counted with every census, {@code Metering} reads GPU time off the
 * ledgers.
 *
 * <p>What must stay true: nobody waits for a measurement, and what it keeps in memory is bounded.
 * Values of labels that people choose are counted by {@link io.gpudra.process.Tally}, which bounds
 * them. The names are in {@code manifests/monitoring/METRICS.md}.
 */
@NullMarked
package io.gpudra.controller.metrics;

import org.jspecify.annotations.NullMarked;
