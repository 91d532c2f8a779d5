package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the stub was told is what is found; the driver tells it in quite another form. */
class GpuDiscoveryTest {

  @TempDir Path directory = Path.of("");

  private static FakeDevices fake(String profile) {
    return new FakeDevices(FakeNodeProfile.parse(profile), "worker-1");
  }

  private StubDriver stub(FakeDevices like, int era) throws IOException {
    return Stubs.driver(directory, era, like.gpus(), like.links());
  }

  private static NvidiaDevices open(StubDriver stub) throws IOException {
    return Stubs.open(stub, new FakeMpsServers());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a100",
        "a100-40",
        "a100-broken-link",
        "h100",
        "h200",
        "b200",
        "dgx1",
        "t4",
        "l40s",
        "mixed"
      })
  void findsAllThatTheInventoryTells(String profile) throws IOException {
    FakeDevices told = fake(profile);
    try (NvidiaDevices found = open(stub(told, StubDriver.NEWEST))) {
      assertThat(found.gpus())
          .isEqualTo(
              told.gpus().stream()
                  .map(gpu -> asReal(gpu, told.links()))
                  .collect(toImmutableList()));
      assertThat(lanes(found.links())).isEqualTo(lanes(told.links()));
      assertThat(found.driverVersion()).isEqualTo("550.54.15");
      assertThat(found.cudaDriverVersion()).isEqualTo("12.4");
    }
  }

  /** Ampere needs a reset to switch, which is not ours to do, and dead links lead nowhere. */
  private static Gpu asReal(Gpu gpu, List<GpuLink> links) {
    MigState mig = gpu.mig();
    GpuModel model = gpu.model();
    boolean ampere = model.architecture().equals("Ampere");
    boolean linked = links.stream().anyMatch(link -> link.gpuUuids().contains(gpu.uuid()));
    return new Gpu.Builder(
            gpu.uuid(),
            gpu.index(),
            new GpuModel(
                model.productName(),
                model.brand(),
                model.architecture(),
                model.cudaComputeCapability(),
                model.nominalMemoryBytes(),
                model.capabilities().stream()
                    .filter(capability -> linked || !capability.equals("nvlink"))
                    .collect(toImmutableSortedSet(Comparator.naturalOrder())),
                model.migProfiles()),
            gpu.memoryBytes())
        .name(gpu.name())
        .minor(gpu.minor())
        .pcieBusId(gpu.pcieBusId())
        .pcieRoot(gpu.pcieRoot())
        .numaNode(gpu.numaNode())
        .attributes(gpu.attributes())
        .mig(new MigState(mig.mode(), mig.switchable() && !ampere, mig.devices()))
        .taints(gpu.taints())
        .build();
  }

  private static ImmutableMap<ImmutableSet<String>, String> lanes(List<GpuLink> links) {
    Map<ImmutableSet<String>, String> lanes = new HashMap<>();
    for (GpuLink link : links) {
      for (String one : link.gpuUuids()) {
        link.gpuUuids().stream()
            .filter(other -> !other.equals(one))
            .forEach(
                other -> lanes.put(ImmutableSet.of(one, other), link.type() + " " + link.lanes()));
      }
    }
    return ImmutableMap.copyOf(lanes);
  }

  /** It tells profiles while a GPU can be cut, and has no doubled 1g. */
  @Test
  void namesProfilesAsTheDriverWouldWhereItDoesNot() throws IOException {
    for (String profile : List.of("a100-40", "a100", "h100", "h200", "b200")) {
      Gpu told = fake(profile).gpus().get(0);
      MigState cut = new MigState(MigMode.ENABLED, told.mig().switchable(), ImmutableList.of());
      StubDriver stub =
          Stubs.driver(
              directory.resolve(profile),
              470,
              ImmutableList.of(told.with(cut)),
              ImmutableList.of());
      try (NvidiaDevices found = open(stub)) {
        assertThat(found.gpus().get(0).model().migProfiles())
            .as(profile)
            .isEqualTo(
                told.model().migProfiles().stream()
                    .filter(one -> one.compute() > 1 || one.size() == 1)
                    .toList());
      }
    }
  }

  @Test
  void anOldDriverSaysNotWhereToCut() throws IOException {
    try (NvidiaDevices found = open(stub(fake("a100"), 450))) {
      assertThat(found.gpus())
          .extracting(Gpu::model)
          .allSatisfy(model -> assertThat(model.migProfiles()).isEmpty());
    }
  }

  /** For each MIG device that it is asked for, NVIDIA's library looks at all of the GPU. */
  @Test
  void anInstanceThatHasNoMigDeviceIsFoundWithoutAskingForAny() throws IOException {
    StubDriver stub =
        Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(1), ImmutableList.of());
    try (NvidiaDevices devices = open(stub)) {
      String gpu = devices.gpus().get(0).uuid();
      devices.setMigMode(gpu, MigMode.ENABLED);
      stub.faults("nvmlDeviceGetMaxMigDeviceCount * 999 9");

      devices.makeGpuInstance(gpu, Parts.slice("2g.10gb", 2));

      assertThat(devices.gpus().get(0).mig().devices())
          .extracting(MigState.Device::slice)
          .containsExactly(Parts.slice("2g.10gb", 2));
    }
  }

  @Test
  void oneGpuThatFailsTakesNoOtherWithIt() throws IOException {
    FakeDevices told = fake("a100");
    StubDriver stub = stub(told, StubDriver.NEWEST);
    stub.set(told.gpus().get(3).uuid(), "lost", 1);
    stub.faults("nvmlDeviceGetPciInfo_v3 %s 999 1".formatted(told.gpus().get(5).uuid()));
    try (NvidiaDevices found = open(stub)) {
      assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 1, 2, 4, 6, 7);
    }
  }

  @Test
  void aGpuOfWhichAProfileFailedOnceHasAllOfThemAtALaterLook() throws IOException {
    FakeDevices told = fake("h100");
    StubDriver stub = stub(told, StubDriver.NEWEST);
    stub.faults(
        "nvmlDeviceGetGpuInstanceProfileInfo %s 999 1".formatted(told.gpus().get(3).uuid()));
    try (NvidiaDevices found = open(stub)) {
      assertThat(found.gpus()).hasSize(7);
      for (int i = 0; i < 31; i++) {
        found.poll(Set.of());
      }

      assertThat(found.gpus())
          .extracting(Gpu::model)
          .containsExactlyElementsOf(told.gpus().stream().map(Gpu::model).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvmlDeviceGetGpuInstanceProfileInfo",
        "nvmlDeviceGetGpuInstancePossiblePlacements_v2"
      })
  void whatMayNotReadProfilesServesGpusWholeUnlessTheyAreCut(String function) throws IOException {
    FakeDevices told = fake("a100");
    StubDriver stub = stub(told, StubDriver.NEWEST);
    stub.faults("%s * 4 1000000".formatted(function));
    try (NvidiaDevices found = open(stub)) {
      assertThat(found.gpus())
          .hasSize(8)
          .allSatisfy(gpu -> assertThat(gpu.model().migProfiles()).isEmpty());
    }
    StubDriver cut =
        Stubs.driver(
            directory.resolve("cut"),
            StubDriver.NEWEST,
            ImmutableList.of(Parts.a30()),
            ImmutableList.of());
    cut.faults("%s * 4 1000000".formatted(function));
    try (NvidiaDevices found = open(cut)) {
      assertThat(found.gpus()).isEmpty();
    }
  }

  @Test
  void withoutItsProgramNothingIsShared() throws IOException {
    FakeDevices told = fake("t4");
    StubDriver stub = stub(told, StubDriver.NEWEST);
    Files.delete(stub.program(StubDriver.MPS_CONTROL));
    try (NvidiaDevices found = open(stub)) {
      assertThat(found.gpus())
          .extracting(Gpu::model)
          .extracting(GpuModel::capabilities)
          .allSatisfy(capabilities -> assertThat(capabilities).doesNotContain("mps"));
    }
  }

  @Test
  void inAVirtualMachineLinksEndNowhereAndAreOfSwitches() throws IOException {
    FakeDevices told = fake("a100");
    StubDriver stub = stub(told, 450);
    stub.faults("nvmlDeviceGetNvLinkRemotePciInfo_v2 * 999 1000000");
    try (NvidiaDevices found = open(stub)) {
      assertThat(lanes(found.links())).isEqualTo(lanes(told.links()));
    }
  }
}
