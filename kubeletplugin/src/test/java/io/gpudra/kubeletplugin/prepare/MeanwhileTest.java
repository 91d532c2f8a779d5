package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.inside;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
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
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
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

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(directory, Parts.gpus(1));
    preparer = node.start(faults, HASTY);
  }

  private PrepareOutcome prepare(String uid, GrantedDevice... devices) {
    return preparer.prepare(node.request(uid, devices), PrepareCall.withoutDeadline());
  }

  private String refusal(GrantedDevice... devices) {
    return ((Refused) prepare("u1", devices)).refusal().text();
  }

  private Optional<PrepareRefusal> unprepare(String uid) {
    return preparer.unprepare(new ClaimUid(uid), ref(uid), PrepareCall.withoutDeadline());
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
  void whatNoClaimMadeIsNotJoined() {
    somebodyMakesAGpuInstanceAtSlice0();

    assertThat(refusal(mig(0, "1g.5gb", 0))).contains("was not created for this claim");
  }

  @Test
  void whatNoClaimMadeIsNotJoinedBesideOnesOwn() {
    somebodyMakesAGpuInstanceAtSlice0();

    assertThat(refusal(mig(0, "1g.5gb", 1), mig(0, "1g.5gb", 0)))
        .contains("1g.5gb at 0 of GPU-0 was not created for this claim");
  }

  @Test
  void nothingIsMadeOfAGpuInstanceWithoutANoteOfIt() {
    faults.on("makeGpuInstance", () -> faults.fail("save"));
    faults.fail("makeComputeInstance");

    assertThat(refusal(mig(0, "1g.5gb", 0))).contains("save fails");
  }

  @Test
  void theFilesOfPreparedClaimsFollowTheDriver() throws IOException {
    node.devices = mock(GpuDevices.class, delegatesTo(node.devices));
    preparer = node.start(faults, HASTY);
    assertThat(prepare("u1", whole(0))).isInstanceOf(Ready.class);
    doReturn(OF_NEW_DRIVER).when(node.devices).driverEdits();

    assertThat(preparer.restoreSpecs()).isEmpty();

    try (var files = Files.list(node.cdi)) {
      assertThat(Files.readString(files.findFirst().orElseThrow())).contains("/new/lib");
    }
  }

  @Test
  void whoLeavesBesideAnotherThatLeavesDestroysItsOwn() {
    for (int start = 0; start <= 2; start += 2) {
      GrantedDevice instance = Parts.of(0, within(slice("2g.10gb", start), 0, 1));
      assertThat(prepare("u" + start, inside("parent", instance))).isInstanceOf(Ready.class);
    }
    faults.on(
        "remove",
        () -> {
          faults.clear();
          assertThat(unprepare("u2")).isEmpty();
        });

    assertThat(unprepare("u0")).isEmpty();

    assertThat(preparer.gpus().get(0).mig().devices()).isEmpty();
  }
}
