package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.crds.model.node.Toleration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What class and claim together ask for.
 *
 * @param alternatives at least one; the first that fits is taken
 * @param insideEntry entry of the pod's {@code resourceClaims} out of whose GPU all MIG devices are
 *     carved
 * @param tolerations taints of GPUs that the claim puts up with
 * @param shareable whether several pods may use the claim
 * @param generation of the claim's parameters, absent without parameters
 */
public record GpuRequest(
    ImmutableList<Alternative> alternatives,
    Optional<String> insideEntry,
    Policy policy,
    ImmutableList<Toleration> tolerations,
    boolean shareable,
    OptionalLong generation) {}
