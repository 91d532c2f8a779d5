package io.gpudra.kubeletplugin.device.nvidia;

import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;

/** Names of GPU instances when the driver reports none (nvidia.md 2.2). */
final class MigNames {

  private static final int EIGHTHS = 8;
  private static final int MIB_PER_GIB = 1024;

  private MigNames() {}

  /**
   * The name in the driver's form, such as {@code 1g.5gb+me}.
   *
   * @param totalMib memory of the GPU
   */
  static String of(GpuInstanceProfile profile, long totalMib) {
    return profile.name().orElseGet(() -> computed(profile, totalMib));
  }

  private static String computed(GpuInstanceProfile profile, long totalMib) {
    double share = Math.round((double) EIGHTHS * profile.memoryMib() / totalMib) / (double) EIGHTHS;
    double total = Math.ceil((double) totalMib / MIB_PER_GIB);
    return "%dg.%dgb%s"
        .formatted(profile.compute(), Math.round(share * total), suffix(profile.number()));
  }

  /** The numbers of kinds with engines of their own (nvidia.md 1.4). */
  private static String suffix(int number) {
    return switch (number) {
      case 0x7, 0x8 -> "+me";
      case 0xA, 0xB, 0xC, 0x11 -> "+gfx";
      case 0xD, 0xE -> "-me";
      case 0xF, 0x10 -> "+me.all";
      default -> "";
    };
  }
}
