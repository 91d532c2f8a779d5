/**
 * One run of a scheduling benchmark on a real control plane: {@link io.gpudra.bench.real.Measure}
 * creates nodes and pods and watches the driver, {@link io.gpudra.bench.real.AuditLog} says what
 * happened, {@link io.gpudra.bench.real.Table} compares runs. Every time and every count comes from
 * the API server's audit log, so both drivers are judged by the same clock and neither is asked.
 */
@NullMarked
package io.gpudra.bench.real;

import org.jspecify.annotations.NullMarked;
