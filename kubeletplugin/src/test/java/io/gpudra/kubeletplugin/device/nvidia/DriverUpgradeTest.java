package io.gpudra.kubeletplugin.device.nvidia;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver is replaced under a plugin that goes on. */
class DriverUpgradeTest {

  private static final String GPU = "GPU-0";
  private static final String NEXT = "560.35.03";

  /** The first that says where a GPU can be cut came after it. */
  private static final int OLD = 450;

  /** Names no profiles, tells none while the mode is off, and places no compute instances. */
  private static final int OLD_THAT_CUTS = 470;

  @TempDir Path directory = Path.of("");

  private StubDriver stub(int era) {
    return Stubs.driver(directory, era, Parts.hoppers(2), ImmutableList.of());
  }

  private static NvidiaDevices open(StubDriver stub) throws IOException {
    return Stubs.open(stub, new FakeMpsServers());
  }

  private static void load(StubDriver stub) throws IOException {
    stub.version(NEXT);
    stub.boot();
  }

  private static void look(NvidiaDevices devices, int times) {
    for (int i = 0; i < times; i++) {
      devices.poll(Set.of(GPU));
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
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), stub.root());
    try (NvmlSession session = new NvmlSession(root, new PciTree(stub.root().resolve("sys")))) {
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

  /** One that is cut, and stays so at a boot. */
  private StubDriver ampere() {
    MigState cut = new MigState(MigMode.ENABLED, /* switchable= */ false, ImmutableList.of());
    return Stubs.driver(
        directory,
        StubDriver.NEWEST,
        ImmutableList.of(Parts.gpus(1).get(0).with(cut)),
        ImmutableList.of());
  }

  /** The driver is replaced by one that calls 2g.10gb so. */
  private static void rename(StubDriver stub, String name) throws IOException {
    Path machine = stub.library().resolveSibling("machine.conf");
    Files.writeString(machine, Files.readString(machine).replace("2g.10gb", name));
    load(stub);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClaimEndsWhoseProfileHasAnotherNameNow(boolean restarted) throws IOException {
    StubDriver stub = ampere();
    FakeNode node = new FakeNode(Files.createDirectories(directory.resolve("plugin")), stub);
    ClaimPreparer before = node.start();
    assertThat(prepares(before, node, "u1", mig(0, "2g.10gb", 2))).isTrue();
    stub.install(NEXT, StubDriver.NEWEST);
    rename(stub, "2g.11gb");
    node.devices.poll(Set.of(GPU));

    ClaimPreparer after = restarted ? node.start() : before;
    assertThat(after.unprepare(new ClaimUid("u1"), ref("u1"), PrepareCall.withoutDeadline()))
        .isEmpty();
    assertThat(prepares(after, node, "u2", mig(0, "3g.20gb", 0))).isTrue();
    node.devices.close();
  }

  @Test
  void whatIsThereUnderAnotherNameIsTakenBackByItsPlace() throws IOException {
    StubDriver stub = ampere();
    try (NvidiaDevices devices = open(stub)) {
      Slice named = slice("2g.10gb", 2);
      devices.makeGpuInstance(GPU, named);
      devices.makeComputeInstance(GPU, named);
      Slice renamed = new Slice("2g.11gb", 2, 2, 2, Optional.empty());

      devices.destroyComputeInstance(GPU, renamed);
      devices.destroyGpuInstance(GPU, renamed);
      look(devices, 1);

      assertThat(parts(devices)).isEmpty();
    }
  }

  /** With turns that are set on the other GPU. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void claimsOfTheVersionBeforeEndAndOthersAreServed(boolean restarted) throws IOException {
    StubDriver stub = stub(OLD_THAT_CUTS);
    stub.set(GPU, "mig", 1);
    FakeNode node = new FakeNode(Files.createDirectories(directory.resolve("plugin")), stub);
    ClaimPreparer before = node.start();
    assertThat(prepares(before, node, "u1", mig(0, "2g.10gb", 2))).isTrue();
    assertThat(prepares(before, node, "u2", with(Parts.LONG, share(1, 4)))).isTrue();
    stub.install(NEXT, StubDriver.NEWEST);
    load(stub);
    node.devices.poll(Set.of(GPU, "GPU-1"));
    ClaimPreparer after = restarted ? node.start() : before;

    assertThat(prepares(after, node, "u3", with(Parts.LONG, share(1, 8)))).isTrue();
    for (String uid : ImmutableList.of("u1", "u2", "u3")) {
      assertThat(after.unprepare(new ClaimUid(uid), ref(uid), PrepareCall.withoutDeadline()))
          .isEmpty();
    }
    assertThat(after.held()).isEmpty();
    assertThat(node.specs()).isEmpty();
    assertThat(node.settings()).isEmpty();
    assertThat(node.devices.gpus()).allSatisfy(gpu -> assertThat(gpu.mig().devices()).isEmpty());
    assertThat(prepares(after, node, "u4", mig(0, "3g.20gb", 4))).isTrue();
    node.devices.close();
  }

  private static boolean prepares(
      ClaimPreparer preparer, FakeNode node, String uid, GrantedDevice device) {
    return preparer.prepare(node.request(uid, device), PrepareCall.withoutDeadline())
        instanceof Ready;
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
