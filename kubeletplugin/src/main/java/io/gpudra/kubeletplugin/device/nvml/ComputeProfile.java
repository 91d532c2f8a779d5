package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.sun.jna.Pointer;

/**
 * A kind of compute instance.
 *
 * @param number by which profiles are queried; not the {@code id} for all other calls
 * @param slices of the GPU instance
 */
record ComputeProfile(int number, int id, int slices, int multiprocessors) {

  private static final int SHARED_ENGINES = 0;

  /** The profiles of a GPU instance that have these numbers. */
  static ImmutableList<ComputeProfile> of(
      Nvml session, Pointer instance, ImmutableSet<Integer> numbers) throws NvmlException {
    return session
        .numbered(
            "nvmlGpuInstanceGetComputeInstanceProfileInfo",
            NvmlStructLayout.COMPUTE_INSTANCE_PROFILE,
            numbers,
            (library, number, info) ->
                library.nvmlGpuInstanceGetComputeInstanceProfileInfo(
                    instance, number, SHARED_ENGINES, info))
        .entrySet()
        .stream()
        .map(known -> of(known.getKey(), known.getValue()))
        .collect(toImmutableList());
  }

  private static ComputeProfile of(int number, NvmlStruct info) {
    return new ComputeProfile(
        number, info.number("id"), info.number("sliceCount"), info.number("multiprocessorCount"));
  }
}
