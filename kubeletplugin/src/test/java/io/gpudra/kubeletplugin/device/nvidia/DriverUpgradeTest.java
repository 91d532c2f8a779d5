package io.gpudra.kubeletplugin.device.nvidia;

import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.mps.PaperMps;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver is replaced under a plugin that goes on. */
class DriverUpgradeTest {

  private static final String GPU = "GPU-0";
  private static final String NEXT = "560.35.03";

  /** The first that says where a GPU can be cut came after it. */
  private static final int OLD = 450;

  @TempDir Path directory = Path.of("");

  private StubDriver stub(int era) {
    return Stubs.driver(directory, era, Parts.hoppers(2), ImmutableList.of());
  }

  private static NvidiaDevices open(StubDriver stub) throws IOException {
    return Stubs.open(stub, new PaperMps());
  }

  private static void load(StubDriver stub) throws IOException {
    stub.version(NEXT);
    stub.boot();
  }

  private static void look(NvidiaDevices devices, int times) {
    for (int i = 0; i < times; i++) {
      devices.look(Set.of(GPU));
    }
  }

  private static void cut(NvidiaDevices devices) throws IOException {
    devices.setMigMode(GPU, MigMode.ENABLED);
    devices.makeGpuInstance(GPU, slice("2g.10gb", 2));
    devices.makeComputeInstance(GPU, slice("2g.10gb", 2));
  }

  private static List<MigState.Device> parts(NvidiaDevices devices) {
    return devices.gpus().get(0).mig().devices();
  }

  private static List<String> files(NvidiaDevices devices) throws IOException {
    return devices.driverEdits().mounts().stream()
        .map(mount -> Path.of(mount.hostPath()).getFileName().toString())
        .filter(name -> name.startsWith("libnvidia-ml"))
        .distinct()
        .toList();
  }

  private static List<String> taints(NvidiaDevices devices) {
    return devices.gpus().stream()
        .flatMap(gpu -> gpu.taints().stream())
        .map(DeviceTaint::reason)
        .distinct()
        .toList();
  }

  @Test
  void aSessionThatIsBegunAnewLoadsTheLibraryThatIsThereThen() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/")), stub.root());
    try (Session session = new Session(root, new PciTree(stub.root().resolve("sys")))) {
      stub.install(NEXT, StubDriver.NEWEST);
      load(stub);
      assertThat(session.beginAnew()).hasSize(2);

      assertThat(session.root().library()).exists().hasFileName("libnvidia-ml.so." + NEXT);
    }
  }

  @Test
  void whatOnlyTheNextVersionCanDoIsDoneByIt() throws IOException {
    StubDriver stub = stub(OLD);
    try (NvidiaDevices devices = open(stub)) {
      assertThat(devices.gpus().get(0).model().migProfiles()).isEmpty();
      stub.install(NEXT, StubDriver.NEWEST);
      load(stub);
      look(devices, 1);

      assertThat(devices.driverVersion()).isEqualTo(NEXT);
      assertThat(files(devices)).containsExactly("libnvidia-ml.so." + NEXT);
      assertThat(devices.gpus()).extracting(Gpu::uuid).containsExactly(GPU, "GPU-1");
      assertThat(taints(devices)).isEmpty();
      cut(devices);
      assertThat(parts(devices)).hasSize(1);
    }
  }

  @Test
  void whatWasCutWithTheVersionBeforeIsTakenBackAndCutAgain() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (NvidiaDevices devices = open(stub)) {
      cut(devices);
      stub.install(NEXT, StubDriver.NEWEST);
      load(stub);
      look(devices, 1);
      assertThat(parts(devices)).as("it went with the driver").isEmpty();

      devices.destroyComputeInstance(GPU, slice("2g.10gb", 2));
      devices.destroyGpuInstance(GPU, slice("2g.10gb", 2));
      cut(devices);
      assertThat(parts(devices)).hasSize(1);
      assertThat(taints(devices)).isEmpty();
    }
  }

  @Test
  void filesThatTheKernelDoesNotFitYetKeepClaimsAwayUntilItDoes() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (NvidiaDevices devices = open(stub)) {
      stub.install(NEXT, StubDriver.NEWEST);
      stub.faults("nvmlInitWithFlags * 18 1");
      look(devices, 1);
      assertThat(taints(devices))
          .containsExactly(
              "nvmlInitWithFlags: Driver/library version mismatch; the driver was replaced: restart"
                  + " the node, or load its kernel module anew");

      stub.faults();
      load(stub);
      look(devices, 3);
      assertThat(taints(devices)).isEmpty();
      assertThat(files(devices)).containsExactly("libnvidia-ml.so." + NEXT);
    }
  }

  @Test
  void aDaemonThatEndsTakesItsSocketAlongAndNothingElse() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    Path socket =
        Files.createDirectories(directory.resolve("run/nvidia-persistenced")).resolve("socket");
    Files.createFile(socket);
    try (NvidiaDevices devices = open(stub)) {
      Files.delete(socket);
      stub.faults("nvmlInitWithFlags * 18 1");
      look(devices, 1);

      assertThat(devices.driverEdits().mounts().toString()).doesNotContain("persistenced");
      assertThat(taints(devices)).as("no session was begun").isEmpty();
    }
  }
}
