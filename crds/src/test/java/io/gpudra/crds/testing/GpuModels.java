package io.gpudra.crds.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;

/** GPUs of known products. */
public final class GpuModels {
  public static final long GIB = 1L << 30;

  /** With 40 GiB; nvidia.md 2.1. */
  public static final GpuModel A100 =
      model(
          "A100",
          40,
          profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3, 4, 5, 6),
          profile("1g.5gb+me", 1, 1, 1, 0, 1, 2, 3, 4, 5, 6),
          profile("1g.10gb", 1, 2, 4, 0, 2, 4, 6),
          profile("2g.10gb", 2, 2, 3, 0, 2, 4),
          profile("3g.20gb", 3, 4, 2, 0, 4),
          profile("4g.20gb", 4, 4, 1, 0),
          profile("7g.40gb", 7, 8, 1, 0));

  /** With 80 GiB, not to be cut. */
  public static final GpuModel A100_80 =
      capable(
          model("NVIDIA A100-SXM4-80GB", "Nvidia", "Ampere", "8.0", 80), "nvlink", "tensorCores");

  public static final GpuModel T4 =
      capable(model("Tesla T4", "Tesla", "Turing", "7.5", 16), "tensorCores");

  private GpuModels() {}

  /** An Ampere without capabilities. */
  public static GpuModel model(String name, int gib, MigProfile... profiles) {
    return cut(model(name, "Nvidia", "Ampere", "8.0", gib), profiles);
  }

  /** A model without capabilities and MIG profiles. */
  public static GpuModel model(
      String name, String brand, String architecture, String compute, int gib) {
    return new GpuModel(name, brand, architecture, compute, gib * GIB, ImmutableSortedSet.of());
  }

  public static GpuModel capable(GpuModel model, String... capabilities) {
    return new GpuModel(
        model.productName(),
        model.brand(),
        model.architecture(),
        model.cudaComputeCapability(),
        model.nominalMemoryBytes(),
        ImmutableSortedSet.copyOf(capabilities),
        model.migProfiles());
  }

  public static GpuModel cut(GpuModel model, MigProfile... profiles) {
    return cut(model, ImmutableList.copyOf(profiles));
  }

  /** The same model, which can be cut into these. */
  public static GpuModel cut(GpuModel model, ImmutableList<MigProfile> profiles) {
    return new GpuModel(
        model.productName(),
        model.brand(),
        model.architecture(),
        model.cudaComputeCapability(),
        model.nominalMemoryBytes(),
        model.capabilities(),
        profiles);
  }

  /** A profile of memory slices of 5 GiB. */
  public static MigProfile profile(
      String name, int compute, int size, int most, Integer... starts) {
    return new MigProfile(
        name, size * (5 * GIB), compute, size, ImmutableSortedSet.copyOf(starts), most);
  }

  /** The same profile with so much memory. */
  public static MigProfile sized(long bytes, MigProfile profile) {
    return new MigProfile(
        profile.name(), bytes, profile.compute(), profile.size(), profile.starts(), profile.most());
  }

  /** All of a MIG device. */
  public static Slice slice(MigProfile profile, int start) {
    return new Slice(profile.name(), start, profile.size(), profile.compute(), Optional.empty());
  }

  public static Slice slice(GpuModel model, String profile, int start) {
    return model.migProfiles().stream()
        .filter(known -> known.name().equals(profile))
        .map(known -> slice(known, start))
        .findFirst()
        .orElseThrow();
  }

  /** Its MIG mode is off, and the driver may switch it if the GPU can be cut. */
  public static Gpu gpu(String uuid, int index, GpuModel model) {
    return new Gpu.Builder(uuid, index, model, model.nominalMemoryBytes())
        .mig(model.migProfiles().isEmpty() ? MigState.of(MigMode.UNSUPPORTED) : cuttable())
        .build();
  }

  public static MigState cuttable() {
    return new MigState(MigMode.DISABLED, /* switchable= */ true, ImmutableList.of());
  }

  /** In a mode that only an administrator changes. */
  public static MigState enabled(MigState.Device... devices) {
    return MigState.of(MigMode.ENABLED).with(ImmutableList.copyOf(devices));
  }
}
