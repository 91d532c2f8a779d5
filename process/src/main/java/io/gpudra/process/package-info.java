/**
 * What both binaries need to be good processes: options that both have, logging, ports with pages
 * for probes and Prometheus, back-offs, exit codes. Start at {@code HttpPort}.
 *
 * <p>What must stay true: it knows neither Kubernetes nor GPUs, so that whoever works on a driver
 * can take it as given.
 */
@NullMarked
package io.gpudra.process;

import org.jspecify.annotations.NullMarked;
