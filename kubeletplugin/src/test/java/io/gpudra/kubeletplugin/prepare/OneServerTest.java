package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.parent;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one MPS server has, of which a claim has one. */
class OneServerTest {

  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(directory, Parts.gpus(2));
    preparer = node.start(new Faults(), HASTY);
  }

  private PrepareOutcome prepare(GrantedDevice... devices) {
    return preparer.prepare(node.request("u1", devices), PrepareCall.withoutDeadline());
  }

  @Test
  void severalMigDevicesNeedAServerEach() {
    assertThat(prepare(with(MPS, mig(0, "1g.5gb", 0)), with(MPS, mig(0, "1g.5gb", 1))))
        .isEqualTo(
            new Refused(
                new PrepareRefusal(
                    PrepareRefusal.Kind.INVALID,
                    "an MPS server has one MIG device, and the grant has 2 devices with MPS; make a"
                        + " claim of each")));
    assertThat(node.mps.running()).isEmpty();
  }

  @Test
  void aMigDeviceAndAWholeGpuNeedAServerEach() {
    assertThat(prepare(with(MPS, mig(0, "1g.5gb", 0)), with(MPS, whole(1))))
        .isInstanceOf(Refused.class);
  }

  @Test
  void aMigDeviceBesideOthersThatHaveNoServerIsServed() {
    assertThat(
            prepare(
                parent(with(MPS, whole(1))), with(MPS, mig(0, "1g.5gb", 0)), mig(0, "1g.5gb", 1)))
        .isInstanceOf(Ready.class);
    assertThat(node.mps.running()).hasSize(1);
  }

  @Test
  void severalWholeGpusHaveOneServer() {
    assertThat(prepare(with(MPS, whole(0)), with(MPS, whole(1)))).isInstanceOf(Ready.class);
    assertThat(node.mps.running()).hasSize(1);
  }

  /** Whoever may write the status of claims may write any name into a handle. */
  @Test
  void aServerHasTheNameThatItsDeviceHasOnThisNode() {
    GrantedDevice gpu = with(MPS, whole(1));

    assertThat(prepare(new GrantedDevice("/victim", gpu.part(), /* parent= */ false)))
        .isInstanceOf(Ready.class);
    assertThat(node.mps.running()).extracting(MpsServer::name).containsExactly("gpu-1");

    assertThat(
            preparer.unprepare(
                new ClaimUid("u1"), FakeNode.ref("u1"), PrepareCall.withoutDeadline()))
        .isEmpty();
    assertThat(node.mps.running()).isEmpty();
  }

  @Test
  void aServerOfAMigDeviceHasTheNameThatThisHasOnThisNode() {
    GrantedDevice slice = with(MPS, mig(0, "1g.5gb", 2));

    assertThat(prepare(new GrantedDevice("../victim", slice.part(), /* parent= */ false)))
        .isInstanceOf(Ready.class);
    assertThat(node.mps.running())
        .extracting(MpsServer::name)
        .containsExactly("gpu-0-mig-1g.5gb-2");
  }
}
