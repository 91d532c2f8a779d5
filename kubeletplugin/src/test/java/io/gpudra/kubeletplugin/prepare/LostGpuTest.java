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
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A GPU of a driver is lost while a claim has it: that is the claim's trouble and nobody else's.
 */
class LostGpuTest {

  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver driver;

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  /** What a claim can have of the second GPU. */
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
    driver =
        Stubs.driver(
            directory.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(3), ImmutableList.of());
    node = new FakeNode(directory, driver);
    Files.createDirectories(node.cdi);
    restart();
  }

  private void restart() throws IOException {
    preparer = node.start(new Faults(), HASTY);
  }

  private PrepareOutcome prepare(String uid, GrantedDevice device) {
    return preparer.prepare(node.request(uid, device), PrepareCall.withoutDeadline());
  }

  private Optional<PrepareRefusal> unprepare(String uid) {
    return preparer.unprepare(new ClaimUid(uid), ref(uid), PrepareCall.withoutDeadline());
  }

  private Path file(String uid) {
    return node.cdi.resolve("k8s.gpu.resource.example.com-claim_" + uid + ".json");
  }

  private void lose() {
    driver.set("GPU-1", "lost", 1);
  }

  private void assertOthersAreServed() throws IOException {
    assertThat(preparer.restoreSpecs()).isEmpty();
    Files.deleteIfExists(file("u1"));
    assertThat(preparer.restoreSpecs()).isEmpty();
    assertThat(file("u1")).exists();
    assertThat(prepare("u3", mig(2, "3g.20gb", 4))).isInstanceOf(Ready.class);
    assertThat(unprepare("u3")).isEmpty();
    assertThat(unprepare("u1")).isEmpty();
  }

  private void assertItsClaimIsTakenBack() {
    assertThat(prepare("u2b", whole(1))).isInstanceOf(Refused.class);
    assertThat(unprepare("u2")).isEmpty();
    assertThat(preparer.held()).isEmpty();
    assertThat(node.mps.running()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("held")
  void whileItIsUsed(GrantedDevice device) throws IOException {
    assertThat(prepare("u1", mig(0, "1g.5gb", 3))).isInstanceOf(Ready.class);
    assertThat(prepare("u2", device)).isInstanceOf(Ready.class);
    lose();
    node.devices.poll(preparer.heldGpus());

    Files.delete(file("u2"));
    assertOthersAreServed();
    assertThat(file("u2")).as("it asks no GPU what was in it").exists();
    assertItsClaimIsTakenBack();
  }

  @ParameterizedTest
  @MethodSource("held")
  void andThePluginStartsAnew(GrantedDevice device) throws IOException {
    assertThat(prepare("u1", mig(0, "1g.5gb", 3))).isInstanceOf(Ready.class);
    assertThat(prepare("u2", device)).isInstanceOf(Ready.class);
    lose();
    restart();

    assertThat(preparer.gpus()).extracting(Gpu::name).containsExactly("gpu-0", "gpu-1", "gpu-2");
    assertThat(preparer.gpus().get(1).taints()).anyMatch(DeviceTaint::concernsLoss);
    assertOthersAreServed();
    assertThat(preparer.heldGpus()).containsExactly("GPU-1");
    assertItsClaimIsTakenBack();
    node.devices.poll(preparer.heldGpus());
    assertThat(preparer.gpus()).as("nobody holds it").hasSize(2);
  }
}
