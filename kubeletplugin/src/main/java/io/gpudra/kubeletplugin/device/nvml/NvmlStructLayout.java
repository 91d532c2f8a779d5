package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * A struct of NVML as a C compiler lays it out (nvidia.md 1.3).
 *
 * @param type its name in nvml.h
 * @param size in bytes
 * @param version stands in its first field, with the size, when it is not 0
 * @param fields the used fields, each with its first byte
 */
record NvmlStructLayout(String type, int size, int version, ImmutableMap<String, Integer> fields) {

  static final NvmlStructLayout MEMORY =
      new NvmlStructLayout("nvmlMemory_t", 24, 0, ImmutableMap.of("total", 0));

  static final NvmlStructLayout PCI_INFO =
      new NvmlStructLayout("nvmlPciInfo_t", 68, 0, ImmutableMap.of("busId", 36));

  static final NvmlStructLayout PLACEMENT =
      new NvmlStructLayout(
          "nvmlGpuInstancePlacement_t", 8, 0, ImmutableMap.of("start", 0, "size", 4));

  static final NvmlStructLayout GPU_INSTANCE_PROFILE =
      new NvmlStructLayout(
          "nvmlGpuInstanceProfileInfo_t",
          48,
          0,
          ImmutableMap.of("id", 0, "sliceCount", 8, "instanceCount", 12, "memorySizeMB", 40));

  static final NvmlStructLayout GPU_INSTANCE_PROFILE_V2 =
      new NvmlStructLayout("nvmlGpuInstanceProfileInfo_v2_t", 152, 2, ImmutableMap.of("name", 56));

  static final NvmlStructLayout GPU_INSTANCE =
      new NvmlStructLayout(
          "nvmlGpuInstanceInfo_t", 24, 0, ImmutableMap.of("id", 8, "placement", 16));

  static final NvmlStructLayout COMPUTE_INSTANCE_PROFILE =
      new NvmlStructLayout(
          "nvmlComputeInstanceProfileInfo_t",
          36,
          0,
          ImmutableMap.of("id", 0, "sliceCount", 4, "multiprocessorCount", 12));

  static final NvmlStructLayout COMPUTE_INSTANCE =
      new NvmlStructLayout(
          "nvmlComputeInstanceInfo_t", 32, 0, ImmutableMap.of("id", 16, "placement", 24));

  static final NvmlStructLayout EVENT =
      new NvmlStructLayout(
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

  static final NvmlStructLayout PROCESS =
      new NvmlStructLayout("nvmlProcessInfo_t", 24, 0, ImmutableMap.of("pid", 0));

  /** The form from before there were parts of a GPU. */
  static final NvmlStructLayout PROCESS_V1 =
      new NvmlStructLayout("nvmlProcessInfo_v1_t", 16, 0, ImmutableMap.of("pid", 0));

  /** The state is a byte, which begins a word of its own. */
  static final NvmlStructLayout FABRIC =
      new NvmlStructLayout(
          "nvmlGpuFabricInfo_v2_t", 36, 2, ImmutableMap.of("status", 20, "state", 28));

  /** The form from before it had a version. */
  static final NvmlStructLayout FABRIC_V1 =
      new NvmlStructLayout(
          "nvmlGpuFabricInfo_t", 28, 0, ImmutableMap.of("status", 16, "state", 24));

  static final ImmutableList<NvmlStructLayout> ALL =
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
