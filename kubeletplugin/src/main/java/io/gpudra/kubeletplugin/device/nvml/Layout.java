package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * A struct of NVML as a C compiler lays it out (nvidia.md 1.3).
 *
 * @param type its name in nvml.h
 * @param size in bytes
 * @param version stands in its first field, with the size, when it is not 0
 * @param fields those we use, each with its first byte
 */
record Layout(String type, int size, int version, ImmutableMap<String, Integer> fields) {

  static final Layout MEMORY = new Layout("nvmlMemory_t", 24, 0, ImmutableMap.of("total", 0));

  static final Layout PCI_INFO = new Layout("nvmlPciInfo_t", 68, 0, ImmutableMap.of("busId", 36));

  static final Layout PLACEMENT =
      new Layout("nvmlGpuInstancePlacement_t", 8, 0, ImmutableMap.of("start", 0, "size", 4));

  static final Layout GPU_INSTANCE_PROFILE =
      new Layout(
          "nvmlGpuInstanceProfileInfo_t",
          48,
          0,
          ImmutableMap.of("id", 0, "sliceCount", 8, "instanceCount", 12, "memorySizeMB", 40));

  static final Layout GPU_INSTANCE_PROFILE_V2 =
      new Layout("nvmlGpuInstanceProfileInfo_v2_t", 152, 2, ImmutableMap.of("name", 56));

  static final Layout GPU_INSTANCE =
      new Layout("nvmlGpuInstanceInfo_t", 24, 0, ImmutableMap.of("id", 8, "placement", 16));

  static final Layout COMPUTE_INSTANCE_PROFILE =
      new Layout(
          "nvmlComputeInstanceProfileInfo_t",
          36,
          0,
          ImmutableMap.of("id", 0, "sliceCount", 4, "multiprocessorCount", 12));

  static final Layout COMPUTE_INSTANCE =
      new Layout("nvmlComputeInstanceInfo_t", 32, 0, ImmutableMap.of("id", 16, "placement", 24));

  static final Layout EVENT =
      new Layout(
          "nvmlEventData_t",
          32,
          0,
          ImmutableMap.of(
              "device",
              0,
              "eventType",
              8,
              "eventData",
              16,
              "gpuInstanceId",
              24,
              "computeInstanceId",
              28));

  static final Layout PROCESS = new Layout("nvmlProcessInfo_t", 24, 0, ImmutableMap.of("pid", 0));

  /** Before there were parts of a GPU. */
  static final Layout PROCESS_V1 =
      new Layout("nvmlProcessInfo_v1_t", 16, 0, ImmutableMap.of("pid", 0));

  /** The state is a byte, which begins a word of its own. */
  static final Layout FABRIC =
      new Layout("nvmlGpuFabricInfo_v2_t", 36, 2, ImmutableMap.of("status", 20, "state", 28));

  /** Before it had a version. */
  static final Layout FABRIC_V1 =
      new Layout("nvmlGpuFabricInfo_t", 28, 0, ImmutableMap.of("status", 16, "state", 24));

  static final ImmutableList<Layout> ALL =
      ImmutableList.of(
          MEMORY,
          PCI_INFO,
          PLACEMENT,
          GPU_INSTANCE_PROFILE,
          GPU_INSTANCE_PROFILE_V2,
          GPU_INSTANCE,
          COMPUTE_INSTANCE_PROFILE,
          COMPUTE_INSTANCE,
          EVENT,
          PROCESS,
          PROCESS_V1,
          FABRIC,
          FABRIC_V1);

  private static final int VERSION_SHIFT = 24;

  /** The version field at the start of a struct. */
  int tag() {
    return size | version << VERSION_SHIFT;
  }
}
