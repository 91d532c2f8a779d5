/**
 * Metrics of the cluster, in contrast to those of the process: {@code WaitTimers} measures waiting
 * times, {@code GpuStatistics} counts GPUs and waiting claims, {@code GpuTimeMeter} measures GPU
 * time from the ledgers.
 *
 * <p>What must stay true: no work waits for a measurement, and its memory is bounded. Label values
 * that users choose are counted by {@link io.gpudra.process.LabelledCounter}, which limits their
 * number. The names are in {@code docs/reference/metrics.md}.
 */
@NullMarked
package io.gpudra.controller.metrics;

import org.jspecify.annotations.NullMarked;
