package io.gpudra.crds.api;

import org.jspecify.annotations.Nullable;

/**
 * What a claim asks for. Everything absent asks for one whole GPU.
 *
 * @param count GPUs, all on one node; 1 when absent
 * @param memory least nominal memory of each GPU, with unit, such as {@code 16Gi}
 * @param cel condition over {@code device} that each GPU satisfies
 * @param shareable whether several pods may use the claim; true when absent
 * @param placement which GPU is taken first; the class decides when absent
 */
public record GpuClaimParametersSpec(
    @Nullable Integer count,
    @Nullable String memory,
    @Nullable String cel,
    @Nullable Boolean shareable,
    @Nullable Placement placement) {}
