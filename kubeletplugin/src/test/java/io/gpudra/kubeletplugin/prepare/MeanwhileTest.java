package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.inside;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.prepare.call.Call;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.Refusal;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What changes on a node while a claim is being prepared there, and after it was. */
class MeanwhileTest {

  private static final ContainerEdits OF_NEW_DRIVER =
      new ContainerEdits(
          ImmutableSortedMap.of(),
          ImmutableSet.of(),
          ImmutableSet.of(Mount.readOnly("/new/lib", "/lib")),
          ImmutableList.of());

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @BeforeEach
  void start() {
    node = new FakeNode(directory, Parts.gpus(1));
  }

  private static String refusal(ClaimPreparer preparer, FakeNode node, GrantedDevice... devices) {
    return ((Refused) preparer.prepare(node.request("u1", devices), Call.withoutDeadline()))
        .refusal()
        .text();
  }

  /** Once the claim is known to have room. */
  private void somebodyMakesAGpuInstanceAtSlice0() {
    faults.on(
        "save",
        () -> {
          faults.clear();
          node.devices.setMigMode("GPU-0", MigMode.ENABLED);
          node.devices.makeGpuInstance("GPU-0", slice("1g.5gb", 0).wholeInstance());
        });
  }

  @Test
  void whatNoClaimMadeIsNotJoined() throws IOException {
    ClaimPreparer preparer = node.start(faults, HASTY);
    somebodyMakesAGpuInstanceAtSlice0();

    assertThat(refusal(preparer, node, mig(0, "1g.5gb", 0))).contains("is somebody else's");
  }

  @Test
  void whatNoClaimMadeIsNotJoinedBesideOnesOwn() throws IOException {
    ClaimPreparer preparer = node.start(faults, HASTY);
    somebodyMakesAGpuInstanceAtSlice0();

    assertThat(refusal(preparer, node, mig(0, "1g.5gb", 1), mig(0, "1g.5gb", 0)))
        .contains("1g.5gb at 0 of GPU-0 is somebody else's");
  }

  @Test
  void nothingIsMadeOfAGpuInstanceWithoutANoteOfIt() throws IOException {
    ClaimPreparer preparer = node.start(faults, HASTY);
    faults.on("makeGpuInstance", () -> faults.fail("save"));
    faults.fail("makeComputeInstance");

    assertThat(refusal(preparer, node, mig(0, "1g.5gb", 0))).contains("save fails");
  }

  @Test
  void theFilesOfPreparedClaimsFollowTheDriver() throws IOException {
    node.devices = mock(Devices.class, delegatesTo(node.devices));
    ClaimPreparer preparer = node.start(faults, HASTY);
    var unused = preparer.prepare(node.request("u1", 0), Call.withoutDeadline());
    doReturn(OF_NEW_DRIVER).when(node.devices).driverEdits();

    assertThat(preparer.restoreSpecs()).isEmpty();

    try (var files = Files.list(node.cdi)) {
      assertThat(Files.readString(files.findFirst().orElseThrow())).contains("/new/lib");
    }
  }

  @Test
  void whoLeavesBesideAnotherThatLeavesDestroysItsOwn() throws IOException {
    ClaimPreparer preparer = node.start(faults, HASTY);
    for (int start = 0; start <= 2; start += 2) {
      GrantedDevice instance = Parts.of(0, within(slice("2g.10gb", start), 0, 1));
      assertThat(
              preparer.prepare(
                  node.request("u" + start, inside("parent", instance)), Call.withoutDeadline()))
          .isInstanceOf(Ready.class);
    }
    faults.on(
        "remove",
        () -> {
          faults.clear();
          assertThat(unprepare(preparer, "u2")).isEmpty();
        });

    assertThat(unprepare(preparer, "u0")).isEmpty();

    assertThat(preparer.gpus().get(0).mig().devices()).isEmpty();
  }

  private static Optional<Refusal> unprepare(ClaimPreparer preparer, String uid) {
    return preparer.unprepare(new ClaimUid(uid), ref(uid), Call.withoutDeadline());
  }
}
