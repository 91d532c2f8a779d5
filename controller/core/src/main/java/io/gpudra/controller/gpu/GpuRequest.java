package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.crds.model.node.DeviceToleration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The request of class and claim together.
 *
 * @param alternatives at least one; the first that fits is used
 * @param insideEntry entry of the pod's {@code resourceClaims} out of whose GPU all MIG devices are
 *     carved
 * @param tolerations the taints of GPUs that the claim tolerates
 * @param shareable whether several pods may use the claim
 * @param generation of the claim's parameters, absent without parameters
 */
public record GpuRequest(
    ImmutableList<RequestAlternative> alternatives,
    Optional<String> insideEntry,
    AllocationPolicy policy,
    ImmutableList<DeviceToleration> tolerations,
    boolean shareable,
    OptionalLong generation) {}
