package io.gpudra.kubeletplugin.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts of GPUs with 40 GiB that can be cut as an A100 can (nvidia.md 2.1). */
public final class Parts {

  public static final long GIB = 1L << 30;
  public static final SharingStrategy LONG =
      new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG);

  private static final ImmutableList<MigProfile> PROFILES =
      ImmutableList.of(
          profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3, 4, 5, 6),
          profile("2g.10gb", 2, 2, 3, 0, 2, 4),
          profile("3g.20gb", 3, 4, 2, 0, 4),
          profile("7g.40gb", 7, 8, 1, 0));

  private Parts() {}

  private static MigProfile profile(
      String name, int compute, int size, int most, Integer... starts) {
    return new MigProfile(
        name, 5 * GIB * size, compute, size, ImmutableSortedSet.copyOf(starts), most);
  }

  /** GPUs whose MIG mode is off and can be switched. */
  public static ImmutableList<Gpu> gpus(int count) {
    return IntStream.range(0, count).mapToObj(Parts::gpu).collect(toImmutableList());
  }

  /** The same of an architecture whose mode can be switched on real ones, too. */
  public static ImmutableList<Gpu> hoppers(int count) {
    return IntStream.range(0, count)
        .mapToObj(index -> gpu(index, "Hopper", "9.0", PROFILES))
        .collect(toImmutableList());
  }

  /** One of four slices, the kinds of which have other numbers; somebody switched its mode. */
  public static Gpu a30() {
    return gpu(
            0,
            "Ampere",
            "8.0",
            ImmutableList.of(
                profile("1g.6gb", 1, 1, 4, 0, 1, 2, 3),
                profile("2g.12gb", 2, 2, 2, 0, 2),
                profile("4g.24gb", 4, 4, 1, 0)))
        .with(new MigState(MigMode.ENABLED, /* switchable= */ false, ImmutableList.of()));
  }

  private static Gpu gpu(int index) {
    return gpu(index, "Ampere", "8.0", PROFILES);
  }

  private static Gpu gpu(
      int index, String architecture, String compute, ImmutableList<MigProfile> profiles) {
    return new Gpu.Builder(
            "GPU-" + index,
            index,
            new GpuModel(
                "NVIDIA A100-SXM4-40GB",
                "Nvidia",
                architecture,
                compute,
                40 * GIB,
                ImmutableSortedSet.of("mig"),
                profiles),
            40 * GIB)
        .mig(new MigState(MigMode.DISABLED, /* switchable= */ true, ImmutableList.of()))
        .build();
  }

  /** The same at another PCI address. */
  public static Gpu at(String busId, Gpu gpu) {
    return gpu.toBuilder().pcieBusId(busId).build();
  }

  public static Slice slice(String profile, int start) {
    MigProfile known =
        PROFILES.stream().filter(p -> p.name().equals(profile)).findFirst().orElseThrow();
    return new Slice(profile, start, known.size(), known.compute(), Optional.empty());
  }

  /** A compute instance of it. */
  public static Slice within(Slice gpuInstance, int start, int compute) {
    return new Slice(
        gpuInstance.profile(),
        gpuInstance.start(),
        gpuInstance.size(),
        gpuInstance.compute(),
        Optional.of(new Instance(start, compute)));
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
    return new GrantedDevice(
        name,
        new GrantedPart(
            "GPU-" + gpu,
            part,
            SharingStrategy.NONE,
            100,
            false,
            Optional.empty(),
            Optional.empty()),
        /* parent= */ false);
  }

  public static GrantedDevice with(SharingStrategy sharing, GrantedDevice device) {
    GrantedPart part = device.part();
    return new GrantedDevice(
        device.name(),
        new GrantedPart(
            part.gpuUuid(),
            part.part(),
            sharing,
            part.overcommitPercent(),
            part.existing(),
            part.inside(),
            part.request()),
        device.parent());
  }

  /** A static MIG device, granted as it is. */
  public static GrantedDevice existing(GrantedDevice device) {
    return changed(device, true, Optional.empty(), false);
  }

  public static GrantedDevice inside(String claim, GrantedDevice device) {
    return changed(device, false, Optional.of(new ClaimUid(claim)), false);
  }

  public static GrantedDevice parent(GrantedDevice device) {
    return changed(device, false, Optional.empty(), true);
  }

  private static GrantedDevice changed(
      GrantedDevice device, boolean existing, Optional<ClaimUid> inside, boolean parent) {
    GrantedPart part = device.part();
    return new GrantedDevice(
        device.name(),
        new GrantedPart(
            part.gpuUuid(),
            part.part(),
            part.sharing(),
            part.overcommitPercent(),
            existing,
            inside,
            part.request()),
        parent);
  }
}
