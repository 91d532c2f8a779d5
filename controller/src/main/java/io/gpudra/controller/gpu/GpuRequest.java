package io.gpudra.controller.gpu;

import io.gpudra.controller.allocation.request.Condition;
import io.gpudra.controller.allocation.request.Policy;
import java.util.OptionalLong;

/**
 * What class and claim together ask for.
 *
 * @param shareable whether several pods may use the claim
 * @param generation of the claim's parameters, absent without parameters
 */
public record GpuRequest(
    int count, Condition condition, Policy policy, boolean shareable, OptionalLong generation) {}
