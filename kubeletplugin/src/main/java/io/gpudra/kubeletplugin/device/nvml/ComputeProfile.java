package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.sun.jna.Pointer;

/**
 * A kind of compute instance.
 *
 * @param slices of the GPU instance
 */
record ComputeProfile(int id, int slices, int multiprocessors) {

  private static final int SHARED_ENGINES = 0;

  /** The profiles of a GPU instance. */
  static ImmutableList<ComputeProfile> of(Nvml session, Pointer instance) throws NvmlException {
    return session
        .numbered(
            "nvmlGpuInstanceGetComputeInstanceProfileInfo",
            NvmlStructLayout.COMPUTE_INSTANCE_PROFILE,
            (library, number, info) ->
                library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, number, SHARED_ENGINES, info))
        .values()
        .stream()
        .map(
            info ->
                new ComputeProfile(
                    info.number("id"),
                    info.number("sliceCount"),
                    info.number("multiprocessorCount")))
        .collect(toImmutableList());
  }
}
