package io.gpudra.kubeletplugin.device.nvidia;

import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.GpuDevicesContract;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvidiaDevicesTest extends GpuDevicesContract {

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  @BeforeEach
  void open() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
    devices = started();
  }

  private NvidiaDevices started() throws IOException {
    return Stubs.open(stub, new FakeMpsServers());
  }

  @AfterEach
  void close() {
    devices.close();
  }

  @Override
  protected GpuDevices devices() {
    return devices;
  }

  private StubDriver ampere(ImmutableList<Gpu> gpus) {
    return Stubs.driver(directory.resolve("ampere"), StubDriver.NEWEST, gpus, ImmutableList.of());
  }

  /** The driver would switch it at once, were it asked. */
  @Override
  protected GpuDevices fixed() throws IOException {
    return Stubs.open(ampere(Parts.gpus(1)), new FakeMpsServers());
  }

  @Override
  protected void lose(String uuid) {
    stub.set(uuid, "lost", 1);
  }

  private void cut() throws IOException {
    devices.setMigMode(GPU, MigMode.ENABLED);
    devices.makeGpuInstance(GPU, slice("2g.10gb", 2));
    devices.makeComputeInstance(GPU, slice("2g.10gb", 2));
  }

  @Test
  void findsWhatAnEarlierProcessLeft() throws IOException {
    cut();
    devices.makeGpuInstance(GPU, slice("1g.5gb", 0));
    ImmutableList<Gpu> before = devices.gpus();
    devices.close();

    devices = started();

    assertThat(devices.gpus()).isEqualTo(before);
    assertThat(devices.gpus().get(0).mig().devices()).hasSize(2);
  }

  @Test
  void waitsForWhoIsJustLeaving() throws IOException {
    cut();
    stub.faults("nvmlComputeInstanceDestroy GPU-0 19 2", "nvmlGpuInstanceDestroy GPU-0 19 1");

    devices.destroyComputeInstance(GPU, slice("2g.10gb", 2));
    devices.destroyGpuInstance(GPU, slice("2g.10gb", 2));

    assertThat(devices.gpus().get(0).mig().devices()).isEmpty();
  }

  @Test
  void tellsWhatIsThereAfterAFailureInTheMiddle() throws IOException {
    devices.setMigMode(GPU, MigMode.ENABLED);
    devices.makeGpuInstance(GPU, slice("2g.10gb", 2));
    stub.faults("nvmlGpuInstanceCreateComputeInstanceWithPlacement GPU-0 999 1");

    assertThatThrownBy(() -> devices.makeComputeInstance(GPU, slice("2g.10gb", 2)))
        .hasMessage(
            "MIG 2g.10gb at 2 of gpu-0 (GPU-0): nvmlGpuInstanceCreateComputeInstanceWithPlacement:"
                + " Unknown Error");
    assertThat(devices.gpus().get(0).mig().devices())
        .extracting(MigState.Device::slice)
        .containsExactly(slice("2g.10gb", 2));
  }

  @Test
  void theFirstFailureIsToldNotThatOfTheLookAfterIt() throws IOException {
    devices.setMigMode(GPU, MigMode.ENABLED);
    stub.faults(
        "nvmlDeviceCreateGpuInstanceWithPlacement GPU-0 999 1", "nvmlDeviceGetMigMode * 15 9");

    assertThatThrownBy(() -> devices.makeGpuInstance(GPU, slice("2g.10gb", 2)))
        .hasMessageContaining("nvmlDeviceCreateGpuInstanceWithPlacement: Unknown Error");
  }

  @Test
  void anUnknownProfileIsRefusedWithThoseThatThereAre() throws IOException {
    devices.setMigMode(GPU, MigMode.ENABLED);

    assertThatThrownBy(
            () -> devices.makeGpuInstance(GPU, new Slice("5g.9gb", 0, 4, 5, Optional.empty())))
        .hasMessageEndingWith(
            "gpu-0 has no MIG profile 5g.9gb; it has 1g.5gb, 2g.10gb, 3g.20gb, 7g.40gb");
  }

  @Test
  void theModeOfAGpuThatOurOwnSessionHindersIsSwitchedInAnother() throws IOException {
    stub.faults("nvmlDeviceSetMigMode GPU-0 19 1");

    devices.setMigMode(GPU, MigMode.ENABLED);

    assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(MigMode.ENABLED);
  }

  @Test
  void theModeOfAGpuInUseIsNotSwitched() {
    stub.set(GPU, "in_use", 1);

    assertThatThrownBy(() -> devices.setMigMode(GPU, MigMode.ENABLED))
        .hasMessage("MIG mode of gpu-0 (GPU-0): nvmlDeviceSetMigMode: In use by another client");
    assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(MigMode.DISABLED);
  }

  @Test
  void whoeverWaitsForAResetIsToldOf() throws IOException {
    StubDriver ampere =
        ampere(ImmutableList.of(Parts.gpus(1).get(0).with(MigState.of(MigMode.DISABLED))));
    try (NvidiaDevices fixed = Stubs.open(ampere, new FakeMpsServers())) {
      ampere.set(GPU, "pending", 1);

      assertThatThrownBy(() -> fixed.setMigMode(GPU, MigMode.ENABLED))
          .hasMessage(
              "MIG mode of gpu-0 (GPU-0): another one waits for a reset:"
                  + " nvidia-smi --gpu-reset -i GPU-0, while this plugin's pod is not on the node");
    }
  }

  @Test
  void aModeThatAGpuHasIsNotSetAnew() throws IOException {
    stub.faults("nvmlDeviceSetComputeMode GPU-0 3 1");

    devices.setComputeMode(GPU, ComputeMode.DEFAULT);

    assertThatThrownBy(() -> devices.setComputeMode(GPU, ComputeMode.EXCLUSIVE_PROCESS))
        .hasMessageContaining("nvmlDeviceSetComputeMode: Not Supported");
  }

  @Test
  void aContainerGetsTheNodesOfItsGpuAndOfTheDriver() throws IOException {
    assertThat(devices.driverEdits().deviceNodes())
        .containsExactly(
            new DeviceNode("/dev/nvidiactl", 1, 3, 0666),
            new DeviceNode("/dev/nvidia-uvm", 1, 7, 0666));
    assertThat(devices.deviceEdits("GPU-1", Optional.empty()))
        .isEqualTo(
            ContainerEdits.deviceNodes(
                ImmutableList.of(new DeviceNode("/dev/nvidia1", 1, 5, 0666))));
    assertThatThrownBy(() -> devices.deviceEdits("GPU-7", Optional.empty()))
        .hasMessageContaining("GPU-7");
  }

  @Test
  void aContainerOfAMigDeviceGetsItsCapabilities() throws IOException {
    cut();

    assertThat(devices.deviceEdits(GPU, Optional.of(slice("2g.10gb", 2))).deviceNodes())
        .as("GPU instance 9, compute instance 0")
        .containsExactly(
            new DeviceNode("/dev/nvidia0", 1, 5, 0666),
            new DeviceNode("/dev/nvidia-caps/nvidia-cap84", 236, 84, 0444),
            new DeviceNode("/dev/nvidia-caps/nvidia-cap85", 236, 85, 0444));
    assertThatThrownBy(() -> devices.deviceEdits(GPU, Optional.of(slice("1g.5gb", 0))))
        .hasMessage("MIG device of gpu-0 (GPU-0): gpu-0-mig-1g.5gb-0 is not there");
  }

  @Test
  void systemdKnowsTheCapabilitiesOfAMigDevice() throws IOException {
    DeviceNodesTest.assumeNodesCanBeMade(directory);
    cut();
    var unused = devices.deviceEdits(GPU, Optional.of(slice("2g.10gb", 2)));

    assertThat(directory.resolve("dev/char/236:84")).exists();
    assertThat(directory.resolve("dev/char/236:85")).exists();
  }

  /** But for profiles with graphics. */
  @Test
  void aGpuDrawsAndAMigDeviceOfItDoesNot() throws IOException {
    String busId = devices.gpus().get(0).pcieBusId();
    Files.createDirectories(
        directory.resolve("sys/bus/pci/devices").resolve(busId).resolve("drm/renderD128"));
    Files.createSymbolicLink(
        Files.createDirectories(directory.resolve("dev/dri")).resolve("renderD128"),
        Path.of("/dev/null"));
    assertThat(devices.deviceEdits(GPU, Optional.empty()).deviceNodes())
        .contains(new DeviceNode("/dev/dri/renderD128", 1, 3, 0666));

    cut();
    assertThat(devices.deviceEdits(GPU, Optional.of(slice("2g.10gb", 2))).deviceNodes())
        .extracting(DeviceNode::path)
        .noneMatch(path -> path.contains("dri"));
  }

  @Test
  void anA30IsCutIntoFourAlthoughItsDriverCountsWrong() throws IOException {
    Gpu a30 = Parts.a30();
    StubDriver other =
        Stubs.driver(
            directory.resolve("a30"), StubDriver.NEWEST, ImmutableList.of(a30), ImmutableList.of());
    try (NvidiaDevices cut = Stubs.open(other, new FakeMpsServers())) {
      for (int start = 0; start < 4; start++) {
        Slice slice = new Slice("1g.6gb", start, 1, 1, Optional.empty());
        cut.makeGpuInstance(a30.uuid(), slice);
        cut.makeComputeInstance(a30.uuid(), slice);
      }

      assertThat(cut.gpus().get(0).mig().devices())
          .extracting(device -> device.slice().start())
          .containsExactly(0, 1, 2, 3);
    }
  }

  @Test
  void aDriverThatCannotPlaceMakesNoPartsOfAnInstance() throws IOException {
    StubDriver other =
        Stubs.driver(directory.resolve("510"), 510, Parts.hoppers(1), ImmutableList.of());
    try (NvidiaDevices old = Stubs.open(other, new FakeMpsServers())) {
      Slice whole = slice("2g.10gb", 2);
      old.setMigMode(GPU, MigMode.ENABLED);
      old.makeGpuInstance(GPU, whole);

      assertThatThrownBy(() -> old.makeComputeInstance(GPU, within(whole, 1, 1)))
          .hasMessageContaining("nvmlGpuInstanceCreateComputeInstanceWithPlacement");
      old.makeComputeInstance(GPU, whole);
      assertThat(old.gpus().get(0).mig().devices())
          .extracting(MigState.Device::slice)
          .containsExactly(whole);
    }
  }

  @Test
  void aServerHasItsGpuAlone() throws IOException {
    devices.setComputeMode(GPU, ComputeMode.EXCLUSIVE_PROCESS);
    assertThat(stub.get(GPU, "compute_mode")).isEqualTo(3);

    devices.setComputeMode(GPU, ComputeMode.DEFAULT);
    assertThat(stub.get(GPU, "compute_mode")).isEqualTo(0);
  }

  @Test
  void aDoubledSliceOfHopperGetsTheComputeInstanceWithMoreMultiprocessors() throws IOException {
    FakeDevices hopper = new FakeDevices(FakeNodeProfile.parse("h100:1"), "worker-1");
    String gpu = hopper.gpus().get(0).uuid();
    StubDriver other =
        Stubs.driver(
            directory.resolve("h100"), StubDriver.NEWEST, hopper.gpus(), ImmutableList.of());
    try (NvidiaDevices h100 = Stubs.open(other, new FakeMpsServers())) {
      Slice doubled = new Slice("1g.20gb", 2, 2, 1, Optional.empty());
      h100.setMigMode(gpu, MigMode.ENABLED);
      h100.makeGpuInstance(gpu, doubled);
      h100.makeComputeInstance(gpu, doubled);

      assertThat(h100.gpus().get(0).mig().devices())
          .extracting(MigState.Device::slice)
          .containsExactly(doubled);
      assertThat(other.get(gpu, "compute_profile")).as("1 slice, revision 1").isEqualTo(7);
    }
  }

  private NvidiaDevices afterARestart(String... held) throws IOException {
    devices.close();
    devices = started();
    devices.hold(Set.of(held));
    return devices;
  }

  @Test
  void aLostGpuThatClaimsHoldIsStillKnownToLaterProcesses() throws IOException {
    devices.hold(Set.of());
    ImmutableList<Gpu> before = devices.gpus();
    stub.set(GPU, "lost", 1);

    for (int restart = 0; restart < 2; restart++) {
      Gpu lost = afterARestart(GPU).gpus().get(0);
      assertThat(lost.with(ImmutableList.of())).isEqualTo(before.get(0));
      assertThat(lost.taints()).anyMatch(DeviceTaint::concernsLoss);
      assertThat(devices.gpus()).hasSize(2);
      assertThatThrownBy(() -> devices.setUp(GPU))
          .hasMessage("gpu-0 is lost: no GPU GPU-0 on this node");
    }
    assertThat(afterARestart().gpus()).as("nobody holds it").hasSize(1);
  }

  @Test
  void aLostGpuIsForgottenWhenItIsGivenBackAndFoundWhenItIsThereAgain() throws IOException {
    devices.hold(Set.of());
    stub.set(GPU, "lost", 1);
    stub.set("GPU-1", "lost", 1);
    afterARestart(GPU, "GPU-1").poll(Set.of(GPU));
    assertThat(devices.gpus()).extracting(Gpu::uuid).containsExactly(GPU);

    stub.set(GPU, "lost", 0);
    for (int look = 0; look < 33; look++) {
      devices.poll(Set.of(GPU));
    }
    assertThat(devices.gpus()).singleElement().satisfies(gpu -> assertThat(gpu.taints()).isEmpty());
    devices.setUp(GPU);
  }

  @Test
  void aLostGpuGivesItsNameToWhoHasItNow() throws IOException {
    devices.hold(Set.of());
    Files.writeString(
        directory.resolve("gpus.json"),
        Files.readString(directory.resolve("gpus.json")).replace("GPU-0", "GPU-9"));

    assertThat(afterARestart("GPU-9").gpus())
        .extracting(gpu -> gpu.name() + " " + gpu.uuid())
        .containsExactly("gpu-0 GPU-0", "gpu-1 GPU-1", "gpu-2 GPU-9");
  }

  @Test
  void aDamagedListOfGpusIsForgotten() throws IOException {
    Files.writeString(directory.resolve("gpus.json"), "{\"devices\":");

    assertThat(afterARestart(GPU, "GPU-9").gpus()).hasSize(2);
  }
}
