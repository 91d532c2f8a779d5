package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.EnumSet;

/** The answers of NVML functions (nvidia.md 1.4). */
public enum NvmlReturn {
  SUCCESS(0),
  UNINITIALIZED(1),
  INVALID_ARGUMENT(2),
  NOT_SUPPORTED(3),
  NO_PERMISSION(4),
  ALREADY_INITIALIZED(5),
  NOT_FOUND(6),
  INSUFFICIENT_SIZE(7),
  INSUFFICIENT_POWER(8),
  DRIVER_NOT_LOADED(9),
  TIMEOUT(10),
  IRQ_ISSUE(11),
  LIBRARY_NOT_FOUND(12),
  FUNCTION_NOT_FOUND(13),
  CORRUPTED_INFOROM(14),
  GPU_IS_LOST(15),
  RESET_REQUIRED(16),
  /** The device node cannot be opened, such as in a container without permission. */
  OPERATING_SYSTEM(17),
  /** The driver was upgraded, and the kernel still has the old one loaded. */
  LIB_RM_VERSION_MISMATCH(18),
  IN_USE(19),
  MEMORY(20),
  NO_DATA(21),
  VGPU_ECC_NOT_SUPPORTED(22),
  INSUFFICIENT_RESOURCES(23),
  FREQ_NOT_SUPPORTED(24),
  ARGUMENT_VERSION_MISMATCH(25),
  DEPRECATED(26),
  NOT_READY(27),
  GPU_NOT_FOUND(28),
  INVALID_STATE(29),
  /** Also stands for all answers that later versions add. */
  UNKNOWN(999);

  private static final ImmutableMap<Integer, NvmlReturn> BY_CODE =
      Maps.uniqueIndex(EnumSet.allOf(NvmlReturn.class), NvmlReturn::code);

  private final int code;

  NvmlReturn(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static NvmlReturn of(int code) {
    return BY_CODE.getOrDefault(code, UNKNOWN);
  }
}
