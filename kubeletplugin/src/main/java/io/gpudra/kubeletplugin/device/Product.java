package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.Gpu.MigMode;
import io.gpudra.crds.model.GpuModel;

/**
 * A product that fake nodes can have, with what NVML reports for it.
 *
 * @param memoryBytes what one GPU reports, usually less than the size on the box
 * @param onPcie whether its GPUs have a known place on a bus
 */
record Product(GpuModel model, long memoryBytes, MigMode mig, boolean onPcie) {

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  /** The GPU of the classic example driver, which knows nothing of it but name and size. */
  static final Product LATEST =
      new Product(
          model("LATEST-GPU-MODEL", new Generation("", "", ""), 80),
          81_920 * MIB,
          MigMode.UNSUPPORTED,
          false);

  static final Product A100 =
      new Product(
          model(
              "NVIDIA A100-SXM4-80GB",
              new Generation("Nvidia", "Ampere", "8.0"),
              80,
              "tensorCores",
              "bf16",
              "nvlink",
              "mig",
              "ecc",
              "mps"),
          81_920 * MIB,
          MigMode.DISABLED,
          true);

  static final Product H100 =
      new Product(
          model(
              "NVIDIA H100 80GB HBM3",
              new Generation("Nvidia", "Hopper", "9.0"),
              80,
              "tensorCores",
              "bf16",
              "fp8",
              "nvlink",
              "mig",
              "ecc",
              "mps"),
          81_559 * MIB,
          MigMode.DISABLED,
          true);

  static final Product T4 =
      new Product(
          model(
              "Tesla T4",
              new Generation("Tesla", "Turing", "7.5"),
              16,
              "tensorCores",
              "rtCores",
              "ecc",
              "mps"),
          15_360 * MIB,
          MigMode.UNSUPPORTED,
          true);

  private static GpuModel model(String name, Generation of, long nominalGib, String... can) {
    return new GpuModel(
        name,
        of.brand,
        of.architecture,
        of.computeCapability,
        nominalGib * GIB,
        ImmutableSortedSet.copyOf(can));
  }

  private record Generation(String brand, String architecture, String computeCapability) {}
}
