package io.gpudra.kubeletplugin.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.crds.testing.GpuModels.profile;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts of GPUs with 40 GiB that can be cut as an A100 can (nvidia.md 2.1). */
public final class Parts {

  public static final long GIB = GpuModels.GIB;
  public static final SharingStrategy LONG =
      new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG);

  private static final GpuModel A100 =
      cut(
          "Ampere",
          "8.0",
          profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3, 4, 5, 6),
          profile("2g.10gb", 2, 2, 3, 0, 2, 4),
          profile("3g.20gb", 3, 4, 2, 0, 4),
          profile("7g.40gb", 7, 8, 1, 0));

  private Parts() {}

  private static GpuModel cut(String architecture, String compute, MigProfile... profiles) {
    return GpuModels.cut(
        GpuModels.capable(
            GpuModels.model("NVIDIA A100-SXM4-40GB", "Nvidia", architecture, compute, 40), "mig"),
        profiles);
  }

  /** GPUs whose MIG mode is off and can be switched. */
  public static ImmutableList<Gpu> gpus(int count) {
    return gpus(count, A100);
  }

  /** The same of an architecture whose mode can be switched on real ones, too. */
  public static ImmutableList<Gpu> hoppers(int count) {
    return gpus(count, cut("Hopper", "9.0", A100.migProfiles().toArray(MigProfile[]::new)));
  }

  private static ImmutableList<Gpu> gpus(int count, GpuModel model) {
    return IntStream.range(0, count)
        .mapToObj(index -> GpuModels.gpu("GPU-" + index, index, model))
        .collect(toImmutableList());
  }

  /** One of four slices, the kinds of which have other numbers; somebody switched its mode. */
  public static Gpu a30() {
    GpuModel model =
        cut(
            "Ampere",
            "8.0",
            profile("1g.6gb", 1, 1, 4, 0, 1, 2, 3),
            profile("2g.12gb", 2, 2, 2, 0, 2),
            profile("4g.24gb", 4, 4, 1, 0));
    return GpuModels.gpu("GPU-0", 0, model).with(GpuModels.enabled());
  }

  /** The same at another PCI address. */
  public static Gpu at(String busId, Gpu gpu) {
    return gpu.toBuilder().pcieBusId(busId).build();
  }

  public static Slice slice(String profile, int start) {
    return GpuModels.slice(A100, profile, start);
  }

  /** A compute instance of it. */
  public static Slice within(Slice gpuInstance, int start, int compute) {
    return gpuInstance.with(Optional.of(new Instance(start, compute)));
  }

  public static GrantedDevice whole(int gpu) {
    return of(gpu, new Part.Whole());
  }

  public static GrantedDevice mig(int gpu, String profile, int start) {
    return of(gpu, slice(profile, start));
  }

  public static GrantedDevice share(int gpu, int gib) {
    return of(gpu, new Part.Share(gib * GIB, 0));
  }

  public static GrantedDevice of(int gpu, Part part) {
    String name =
        part instanceof Slice s
            ? "gpu-%d-mig-%s-%d".formatted(gpu, s.profile(), s.start())
            : "gpu-" + gpu;
    return GrantFixture.device(name, GrantFixture.part("GPU-" + gpu, part));
  }

  public static GrantedDevice with(SharingStrategy sharing, GrantedDevice device) {
    GrantedPart part = device.part();
    return GrantFixture.device(
        device.name(), GrantFixture.part(part.gpuUuid(), part.part(), sharing));
  }

  /** A static MIG device, granted as it is. */
  public static GrantedDevice existing(GrantedDevice device) {
    return GrantFixture.device(device.name(), GrantFixture.existing(device.part()));
  }

  public static GrantedDevice inside(String claim, GrantedDevice device) {
    return GrantFixture.device(
        device.name(), GrantFixture.inside(new ClaimUid(claim), device.part()));
  }

  public static GrantedDevice parent(GrantedDevice device) {
    return new GrantedDevice(device.name(), device.part(), /* parent= */ true);
  }
}
