package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.kubeletplugin.prepare.call.PrepareCall.withoutDeadline;
import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.existing;
import static io.gpudra.kubeletplugin.testing.Parts.inside;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.parent;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartsTest {

  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    startWith(Parts.gpus(2));
  }

  private void startWith(ImmutableList<Gpu> gpus) throws IOException {
    node = new FakeNode(directory, gpus);
    preparer = node.start(faults, HASTY);
  }

  private PrepareOutcome prepare(String uid, GrantedDevice... devices) {
    return preparer.prepare(node.request(uid, devices), withoutDeadline());
  }

  private void prepared(String uid, GrantedDevice... devices) {
    assertThat(prepare(uid, devices)).isInstanceOf(Ready.class);
  }

  private String refused(String uid, GrantedDevice... devices) {
    return assertInstanceOf(Refused.class, prepare(uid, devices)).refusal().text();
  }

  private Optional<PrepareRefusal> unprepare(String uid) {
    return preparer.unprepare(new ClaimUid(uid), ref(uid), withoutDeadline());
  }

  private ImmutableList<MigState.Device> found(int gpu) {
    return preparer.gpus().get(gpu).mig().devices();
  }

  private String spec(String uid) throws IOException {
    String file = "k8s.gpu.resource.example.com-claim_%s.json".formatted(uid);
    return Files.readString(node.cdi.resolve(file));
  }

  private MigMode mode(int gpu) {
    return node.devices.gpus().get(gpu).mig().mode();
  }

  private static ImmutableList<Gpu> withStatic(boolean foreign) {
    MigState.Device there = GrantFixture.migDevice("MIG-static", slice("1g.5gb", 0), foreign);
    return Parts.gpus(1).stream()
        .map(gpu -> gpu.with(new MigState(MigMode.ENABLED, true, ImmutableList.of(there))))
        .collect(toImmutableList());
  }

  @Test
  void makesASliceAndTellsWhoseItIs() throws IOException {
    prepared("u1", mig(0, "1g.5gb", 3));

    assertThat(found(0))
        .singleElement()
        .satisfies(
            device -> {
              assertThat(device.slice()).isEqualTo(slice("1g.5gb", 3));
              assertThat(device.claim()).contains(new ClaimUid("u1"));
            });
    assertThat(preparer.held())
        .flatExtracting(PreparedClaim::parts)
        .containsExactly(mig(0, "1g.5gb", 3).part());
    assertThat(spec("u1"))
        .contains(
            "GPU_DEVICE_0_3=gpu-0-mig-1g.5gb-3",
            "GPU_DEVICE_0_3_UUID=" + found(0).get(0).uuid(),
            "GPU_DEVICE_0_3_PROFILE=1g.5gb",
            "GPU_DEVICE_0_3_PARENT_UUID=GPU-0");

    assertThat(unprepare("u1")).isEmpty();
    assertThat(found(0)).isEmpty();
    assertThat(mode(0)).isEqualTo(MigMode.ENABLED);
  }

  @Test
  void ofSeveralSlicesEachClaimGetsItsOwn() throws IOException {
    prepared("u1", mig(0, "1g.5gb", 0));
    prepared("u2", mig(0, "1g.5gb", 1));

    for (MigState.Device device : found(0)) {
      String owner = device.claim().orElseThrow().value();
      assertThat(spec(owner)).contains("_UUID=" + device.uuid());
    }
  }

  @Test
  void aClaimWithoutDevicesWatchesAllGpus() throws IOException {
    prepared("u1");

    assertThat(spec("u1")).contains("GPU_MONITOR=true", "_UUID=GPU-0", "_UUID=GPU-1");
  }

  @Test
  void severalClaimsHaveSlicesOfOneGpuAndOneWaitsForItsPlace() {
    prepared("u1", mig(0, "1g.5gb", 0), mig(0, "1g.5gb", 1));
    prepared("u2", mig(0, "3g.20gb", 4));

    assertThat(refused("u3", mig(0, "2g.10gb", 4)))
        .isEqualTo(
            "gpu-0-mig-2g.10gb-4 (GPU-0) is still held by claim team-a/claim-of-u2 (UID u2)");
    assertThat(unprepare("u2")).isEmpty();
    prepared("u3", mig(0, "2g.10gb", 4));
    assertThat(found(0)).hasSize(3);
  }

  @Test
  void whatCanNeverBeIsRefusedAndNothingIsMade() {
    assertThat(refused("u1", mig(0, "3g.20gb", 4), mig(0, "1g.5gb", 4)))
        .isEqualTo(
            "gpu-0 (GPU-0) can never give gpu-0-mig-3g.20gb-4, gpu-0-mig-1g.5gb-4 (slices overlap)");
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void aSumThatIsTooMuchNamesAllWhoHaveAPart() {
    prepared("u1", share(0, 15));
    prepared("u2", share(0, 15));

    assertThat(refused("u3", share(0, 12)))
        .isEqualTo("gpu-0 (GPU-0) is still held by team-a/claim-of-u1, team-a/claim-of-u2");
  }

  @Test
  void theLastShareTakesBackWhatAllShared() throws IOException {
    prepared("u1", with(Parts.LONG, share(0, 4)));
    prepared("u2", with(Parts.LONG, share(0, 4)));

    assertThat(unprepare("u1")).isEmpty();
    assertThat(node.settings()).containsExactly("GPU-0 Long");
    assertThat(node.ready()).containsExactly("GPU-0");

    assertThat(unprepare("u2")).isEmpty();
    assertThat(node.settings()).isEmpty();
    assertThat(node.ready()).isEmpty();
  }

  @Test
  void whoTakesTurnsIsNotAloneOnTheGpu() throws IOException {
    node.devices.setComputeMode("GPU-0", ComputeMode.EXCLUSIVE_PROCESS);
    prepared("u1", with(Parts.LONG, share(0, 4)));

    assertThat(node.settings()).containsExactly("GPU-0 Long");
  }

  @Test
  void aShareThatWasGivenBackAndTakenAgainCountsAgain() throws IOException {
    prepared("u1", with(Parts.LONG, share(0, 4)));
    assertThat(unprepare("u1")).isEmpty();
    prepared("u1", with(Parts.LONG, share(0, 4)));
    prepared("u2", with(Parts.LONG, share(0, 4)));

    assertThat(unprepare("u2")).isEmpty();

    assertThat(node.settings()).containsExactly("GPU-0 Long");
    assertThat(node.ready()).containsExactly("GPU-0");
  }

  @Test
  void theLastShareStopsTheServer() throws IOException {
    prepared("u1", with(MPS, share(0, 4)));
    prepared("u2", with(MPS, share(0, 8)));

    assertThat(node.mps.running()).extracting(MpsServer::name).containsExactly("gpu-0");
    assertThat(spec("u1"))
        .contains(
            "CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps",
            "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=4096M",
            "GPU_DEVICE_0_MEMORY=4Gi",
            "GPU_DEVICE_0_MEMORY_ENFORCED=true",
            "\"containerPath\" : \"/dev/shm\"");
    assertThat(unprepare("u1")).isEmpty();
    assertThat(node.mps.running()).hasSize(1);
    assertThat(node.settings()).containsExactly("GPU-0 exclusive");
    assertThat(unprepare("u2")).isEmpty();
    assertThat(node.mps.running()).isEmpty();
    assertThat(node.settings()).isEmpty();
  }

  @Test
  void theServerOfASharedGpuLimitsNobodyByItself() {
    prepared(
        "u1", with(new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.empty()), share(0, 4)));

    assertThat(node.mps.running())
        .containsExactly(
            new MpsServer("gpu-0", ImmutableSortedMap.of("GPU-0", 0L), OptionalInt.empty()));
  }

  @Test
  void aClaimsOwnDevicesHaveOneServerWithItsLimits() {
    SharingStrategy half =
        new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.of(10 * Parts.GIB));
    prepared("u1", with(half, whole(0)), with(half, whole(1)));

    assertThat(node.mps.running())
        .singleElement()
        .satisfies(
            server -> {
              assertThat(server.threads()).hasValue(50);
              assertThat(server.pinnedMemory())
                  .containsEntry("GPU-0", 10 * Parts.GIB)
                  .containsEntry("GPU-1", 10 * Parts.GIB);
            });
    assertThat(unprepare("u1")).isEmpty();
    assertThat(node.mps.running()).isEmpty();
  }

  @Test
  void equalPartsAreWhatTheServerAllowsEachClient() throws IOException {
    prepared("u1", with(new SharingStrategy.SpacePartitioning(10), whole(0)));

    assertThat(node.mps.running())
        .containsExactly(
            new MpsServer(
                "gpu-0", ImmutableSortedMap.of("GPU-0", 4 * Parts.GIB), OptionalInt.of(10)));
    assertThat(spec("u1")).contains("GPU_DEVICE_0_PARTITION_COUNT=10");
  }

  @Test
  void aWholeGpuSwitchesTheModeBackAndASliceSwitchesItAgain() {
    prepared("u1", mig(0, "1g.5gb", 0));
    assertThat(unprepare("u1")).isEmpty();
    prepared("u2", whole(0));

    assertThat(mode(0)).isEqualTo(MigMode.DISABLED);
    assertThat(unprepare("u2")).isEmpty();
    prepared("u3", mig(0, "7g.40gb", 0));
    assertThat(mode(0)).isEqualTo(MigMode.ENABLED);
  }

  @Test
  void theModeOfAGpuThatIsUsedIsNotSwitched() {
    prepared("u1", whole(0));

    assertThat(refused("u2", inside("u1", mig(0, "1g.5gb", 0)))).contains("In use by another");
    assertThat(found(0)).isEmpty();
    assertThat(mode(0)).isEqualTo(MigMode.DISABLED);
  }

  @Test
  void whatIsCutOutOfAWholeGpuNeedsNotWaitForIt() throws IOException {
    prepared("u2", inside("u1", mig(0, "3g.20gb", 4)));
    prepared("u1", parent(whole(0)));

    assertThat(node.ready()).isEmpty();
    assertThat(spec("u1")).contains("GPU_NODE_NAME").doesNotContain("GPU_DEVICE");
    assertThat(unprepare("u1")).isEmpty();
    assertThat(found(0)).hasSize(1);
    assertThat(unprepare("u2")).isEmpty();
    assertThat(found(0)).isEmpty();
  }

  @Test
  void theLastOfAGpuInstanceDestroysIt() throws IOException {
    prepared("u1", parent(mig(0, "2g.10gb", 2)));
    GrantedDevice left = Parts.of(0, within(slice("2g.10gb", 2), 0, 1));
    GrantedDevice right = Parts.of(0, within(slice("2g.10gb", 2), 1, 1));
    prepared("u2", inside("u1", left));
    prepared("u3", inside("u1", right));

    assertThat(spec("u3")).contains("GPU_DEVICE_0_2_1_PROFILE=1c.2g.10gb");
    assertThat(found(0)).hasSize(2);
    assertThat(unprepare("u1")).isEmpty();
    assertThat(unprepare("u3")).isEmpty();
    assertThat(found(0)).hasSize(1);
    assertThat(unprepare("u2")).isEmpty();
    assertThat(found(0)).isEmpty();
  }

  @Test
  void aClaimWithSeveralComputeInstancesOfOneGpuInstanceGivesAllBack() {
    GrantedDevice left = inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 0, 1)));
    GrantedDevice right = inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 1, 1)));
    prepared("u2", left, right);
    assertThat(found(0)).hasSize(2);

    assertThat(unprepare("u2")).isEmpty();

    assertThat(preparer.held()).isEmpty();
    assertThat(found(0)).isEmpty();
  }

  @Test
  void twoThatLeaveAtOnceDoNotLeaveTheirGpuInstanceToEachOther() {
    GrantedDevice other = mig(1, "1g.5gb", 0);
    prepared("u2", other, inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 0, 1))));
    prepared("u3", inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 1, 1))));
    faults.on("destroyGpuInstance", () -> leavesMeanwhile("u3"));

    assertThat(unprepare("u2")).isEmpty();

    assertThat(preparer.held()).isEmpty();
    assertThat(found(0)).isEmpty();
  }

  @Test
  void whoLeavesDoesNotDestroyWhatAnotherIsAboutTo() {
    prepared("u2", inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 0, 1))));
    prepared("u3", inside("u1", Parts.of(0, within(slice("2g.10gb", 2), 1, 1))));
    faults.on("remove", () -> leavesMeanwhile("u3"));

    assertThat(unprepare("u2")).isEmpty();

    assertThat(preparer.held()).isEmpty();
    assertThat(found(0)).isEmpty();
  }

  private void leavesMeanwhile(String uid) {
    faults.clear();
    assertThat(unprepare(uid)).isEmpty();
  }

  @Test
  void aStaticMigDeviceIsLentAndStays() throws IOException {
    startWith(withStatic(false));
    prepared("u1", existing(mig(0, "1g.5gb", 0)));

    assertThat(spec("u1")).contains("GPU_DEVICE_0_0_UUID=MIG-static");
    assertThat(found(0)).singleElement().satisfies(d -> assertThat(d.claim()).isEmpty());
    assertThat(unprepare("u1")).isEmpty();
    assertThat(found(0)).hasSize(1);
  }

  @Test
  void whatIsSomebodyElsesIsInTheWayAndStays() throws IOException {
    startWith(withStatic(true));

    assertThat(refused("u1", whole(0)))
        .isEqualTo("gpu-0 (GPU-0) is not free: the GPU has MIG devices that are no claim's");
    assertThat(refused("u2", mig(0, "1g.5gb", 0))).contains("no claim's");
    assertThat(unprepare("u2")).isEmpty();
    assertThat(found(0)).hasSize(1);
  }

  @Test
  void aStaticMigDeviceThatIsGoneIsNotMade() throws IOException {
    assertThat(refused("u1", existing(mig(0, "1g.5gb", 0)))).contains("is not there");
    assertThat(found(0)).isEmpty();
    assertThat(preparer.held()).isEmpty();
  }
}
