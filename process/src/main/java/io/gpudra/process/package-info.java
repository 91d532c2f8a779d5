/**
 * Shared infrastructure of both binaries: common options, logging, back-offs, exit codes, and ports
 * with pages for probes, Prometheus and diagnostics. Start at {@code HttpPort}.
 *
 * <p>What must stay true: the package knows neither Kubernetes nor GPUs, so that maintainers of a
 * driver need not read it. No client keeps others from a port: no thread waits for a client, each
 * client has limited time, and the oldest is disconnected when there are too many.
 *
 * <p>Why Netty and no HTTP server above it: the JDK's server blocks a thread for each client that
 * has sent one byte, and its limits apply to the whole process. Jetty's connection limit lets new
 * clients wait, and its idle timeout restarts with every byte, so slow clients would keep out the
 * probes. The plugin has few MiB to spare and already uses Netty for gRPC.
 */
@NullMarked
package io.gpudra.process;

import org.jspecify.annotations.NullMarked;
