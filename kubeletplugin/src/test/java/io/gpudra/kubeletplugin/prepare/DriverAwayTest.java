package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoDriver;
import io.gpudra.kubeletplugin.device.DeferredDevices;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The driver of a node is away: what needs no GPU does not wait for it. */
class DriverAwayTest {

  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());
  private static final String WHY = "no NVIDIA driver: install one";
  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @SuppressWarnings("NullAway.Init") // set before each test
  private GpuDevices hardware;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  @SuppressWarnings("NullAway.Init") // set where there is no driver
  private DeferredDevices late;

  /** What a claim can have. */
  static Stream<GrantedDevice> held() {
    return Stream.of(
        whole(1),
        mig(1, "1g.5gb", 0),
        with(MPS, mig(1, "2g.10gb", 2)),
        with(Parts.LONG, share(1, 4)),
        with(MPS, share(1, 8)));
  }

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(directory, Parts.hoppers(3));
    hardware = node.devices;
    Files.createDirectories(node.cdi);
    preparer = node.start(new Faults(), HASTY);
  }

  private PrepareOutcome prepare(String uid, GrantedDevice... devices) {
    PrepareRequest request = node.request(uid, devices);
    PrepareOutcome outcome = preparer.prepare(request, PrepareCall.withoutDeadline());
    preparer.answered(ImmutableList.of(request.uid()));
    return outcome;
  }

  private boolean unprepared(String uid) {
    return preparer.unprepare(new ClaimUid(uid), ref(uid), PrepareCall.withoutDeadline()).isEmpty();
  }

  /** The plugin starts, and there is no driver. */
  private void restartWithoutDriver() throws IOException {
    late = new DeferredDevices(new NoDriver(WHY, hardware.gpus()));
    node.devices = late;
    preparer = node.start(new Faults(), HASTY);
  }

  @ParameterizedTest
  @MethodSource("held")
  void aClaimIsTakenBackFromTheKubeletAndItsGpuStaysHeldUntilTheDriverIsThere(GrantedDevice device)
      throws IOException {
    assertThat(prepare("u1", device)).isInstanceOf(Ready.class);
    restartWithoutDriver();
    assertThat(node.specs()).as("containers of it still start").containsExactly(U1);

    assertThat(unprepared("u1")).isTrue();
    assertThat(unprepared("u1")).as("asked again").isTrue();
    assertThat(node.specs()).isEmpty();
    preparer.sweep();
    assertThat(preparer.heldGpus()).as("for nobody else").containsExactly("GPU-1");

    restartWithoutDriver();
    preparer.sweep();
    assertThat(preparer.heldGpus()).as("after a restart, too").containsExactly("GPU-1");

    late.become(hardware);
    assertThat(prepare("u2", whole(1))).as("not handed out before").isInstanceOf(Refused.class);
    preparer.sweep();
    assertThat(preparer.held()).isEmpty();
    assertThat(hardware.gpus().get(1).mig().devices()).isEmpty();
    assertThat(node.mps.running()).isEmpty();
    node.devices = hardware;
    assertThat(node.ready()).isEmpty();
    assertThat(node.settings()).isEmpty();
  }

  @Test
  void prepareIsRefusedWithTheReasonAndHoldsNothing() throws IOException {
    restartWithoutDriver();

    assertThat(prepare("u1", whole(1)))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.refusal().text()).contains(WHY));
    assertThat(preparer.held()).isEmpty();

    late.become(hardware);
    assertThat(prepare("u1", whole(1))).isInstanceOf(Ready.class);
  }

  @Test
  void whatIsPreparedAndWasBrokenMeanwhileIsRepairedWhenTheDriverIsThere() throws IOException {
    assertThat(prepare("u1", whole(1))).isInstanceOf(Ready.class);
    restartWithoutDriver();
    hardware.tearDown("GPU-1");

    late.become(hardware);
    preparer.sweep();
    node.devices = hardware;
    assertThat(node.ready()).containsExactly("GPU-1");
  }

  @Test
  void afterABootNothingIsLeftToTakeBackAndTheGpuIsFree() throws IOException {
    assertThat(prepare("u1", with(MPS, share(1, 8)))).isInstanceOf(Ready.class);
    node.bootId = "boot-2";
    restartWithoutDriver();

    assertThat(unprepared("u1")).isTrue();
    assertThat(preparer.held()).isEmpty();
    assertThat(node.specs()).isEmpty();

    late.become(hardware);
    assertThat(node.mps.running()).as("what an earlier boot left").isEmpty();
    assertThat(prepare("u2", with(MPS, share(1, 8)))).isInstanceOf(Ready.class);
  }
}
