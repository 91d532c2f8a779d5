/**
 * A node: {@link io.gpudra.simulator.kubelet.Kubelet} registers plugins over their real sockets
 * ({@code Registrations}, {@code GrpcPlugin}), prepares claims as the 1.30 kubelet does ({@code
 * ClaimPreparation}, protocol.md 4.6) and runs containers that do nothing but have an environment
 * ({@code CdiSpecs}, protocol.md 5). The container runtime outlives the kubelet: a restart loses
 * the latter's memory, never a container.
 */
@NullMarked
package io.gpudra.simulator.kubelet;

import org.jspecify.annotations.NullMarked;
