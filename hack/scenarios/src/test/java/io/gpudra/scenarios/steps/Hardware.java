package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeFaults;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.FakeNodeProfiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The GPUs of a machine, which outlive its plugin.
 *
 * @param atBoot as they are when nobody has done anything to them
 */
record Hardware(FakeDevices devices, Servers servers, ImmutableList<Gpu> atBoot) {
  private static final ImmutableMap<Kind, FakeNodeProfiles> PROFILES =
      Maps.toMap(EnumSet.allOf(Kind.class), kind -> FakeNodeProfiles.parse(kind.profile));

  /** What a GPU is like. */
  enum Kind {
    /** Of a product that cannot be cut. */
    PLAIN("latest"),
    /** Cut when somebody wants a piece. */
    CUTTABLE("a100-40"),
    /** Cut by an administrator: one piece for claims, one for somebody else, room for more. */
    CUT("a100-40");

    private final String profile;

    Kind(String profile) {
      this.profile = profile;
    }

    private Gpu gpu(String node, int index) {
      FakeNodeProfile like = requireNonNull(PROFILES.get(this)).of(node);
      Gpu gpu = new FakeDevices(like, node).gpus().get(index);
      return this == CUT ? gpu.with(cutOf(gpu.uuid())) : gpu;
    }

    private static MigState cutOf(String gpu) {
      return new MigState(
          MigMode.ENABLED,
          /* switchable= */ false,
          ImmutableList.of(
              there("MIG-static-" + gpu, new Slice("2g.10gb", 0, 2, 2, Optional.empty()), false),
              there("MIG-foreign-" + gpu, new Slice("1g.5gb", 6, 1, 1, Optional.empty()), true)));
    }

    private static MigState.Device there(String uuid, Slice slice, boolean foreign) {
      return new MigState.Device(uuid, slice, Optional.empty(), foreign);
    }
  }

  static Hardware of(String node, List<Kind> kinds, Path mps) {
    ImmutableList<Gpu> gpus =
        IntStream.range(0, kinds.size())
            .mapToObj(i -> kinds.get(i).gpu(node, i))
            .collect(toImmutableList());
    Servers servers = new Servers(mps);
    return new Hardware(new FakeDevices(gpus, "1", "1", servers, FakeFaults.none()), servers, gpus);
  }

  void reset() throws IOException {
    devices.reset();
  }

  /** MIG devices that were there at the boot and are no more. */
  ImmutableSet<MigState.Device> destroyed() {
    ImmutableSet<MigState.Device> now = migDevices(devices.gpus()).collect(toImmutableSet());
    return migDevices(atBoot).filter(device -> !now.contains(device)).collect(toImmutableSet());
  }

  private static Stream<MigState.Device> migDevices(List<Gpu> gpus) {
    return gpus.stream().flatMap(gpu -> gpu.mig().devices().stream());
  }

  /** What a GPU, or a MIG device, is called that outlasts its being made again. */
  static String name(GrantedPart part) {
    return part.part() instanceof Slice slice ? slice.nameOn(part.gpuUuid()) : part.gpuUuid();
  }

  /** The same of something with this UUID; the UUID itself when nothing has it. */
  String name(String uuid) {
    return devices.gpus().stream()
        .flatMap(gpu -> name(gpu, uuid).stream())
        .findFirst()
        .orElse(uuid);
  }

  private static Optional<String> name(Gpu gpu, String uuid) {
    return gpu.mig().devices().stream()
        .filter(device -> device.uuid().equals(uuid))
        .map(device -> device.slice().nameOn(gpu.uuid()))
        .findFirst();
  }
}
