/**
 * One run of a scheduling benchmark on a real control plane: {@link io.gpudra.bench.real.Measure}
 * creates nodes and pods and watches the driver, {@link io.gpudra.bench.real.AuditLog} reads the
 * audit log, {@link io.gpudra.bench.real.Table} compares runs. All times and counts come from the
 * API server's audit log, so both drivers are measured by the same clock and without their help.
 */
@NullMarked
package io.gpudra.bench.real;

import org.jspecify.annotations.NullMarked;
