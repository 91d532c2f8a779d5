/**
 * A node: {@link io.gpudra.simulator.kubelet.Kubelet} registers plugins over their real sockets
 * ({@code Registrations}, {@code GrpcPlugin}), prepares claims like the 1.30 kubelet ({@code
 * ClaimPreparation}, protocol.md 4.6) and runs containers that only have an environment ({@code
 * CdiSpecs}, protocol.md 5). Containers survive a restart of the kubelet, its memory does not.
 */
@NullMarked
package io.gpudra.simulator.kubelet;

import org.jspecify.annotations.NullMarked;
