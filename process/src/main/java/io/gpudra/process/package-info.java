/**
 * What both binaries need to be good processes: options that both have, logging, ports with pages
 * for probes, Prometheus and who looks for what is slow, back-offs, exit codes. Start at {@code
 * HttpPort}.
 *
 * <p>What must stay true: it knows neither Kubernetes nor GPUs, so that whoever works on a driver
 * can take it as given. No client keeps others from a port: none is waited for, each has limited
 * time, and the one that came first goes when there are too many.
 *
 * <p>Why Netty and no HTTP server above it: the JDK's gives a thread to whoever has sent one byte,
 * and its limits are those of the whole process. Jetty's connection limit lets newcomers wait, and
 * its idle timeout starts again with every byte, so the slow ones would keep out the probes. The
 * plugin, which has few MiB to spare, speaks gRPC by Netty already.
 */
@NullMarked
package io.gpudra.process;

import org.jspecify.annotations.NullMarked;
