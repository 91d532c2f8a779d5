package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.PATIENT;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupRecoveryTest {

  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");

  private FakeNode preparedNode() {
    FakeNode node = new FakeNode(directory);
    node.start().prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
    return node;
  }

  @Test
  void keepsPreparedClaimsAndRestoresTheirFiles() throws IOException {
    FakeNode node = preparedNode();
    Files.delete(node.cdi.resolve("k8s.gpu.resource.example.com-claim_u1.json"));

    ClaimPreparer next = node.start();

    assertThat(next.held()).extracting(PreparedClaim::uid).containsExactly(U1);
    assertThat(node.specs()).containsExactly(U1);
    assertThat(next.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
  }

  @Test
  void forgetsEverythingAfterAnotherBoot() throws IOException {
    FakeNode node = preparedNode();
    node.bootId = "boot-2";

    assertThat(node.start().held()).isEmpty();

    assertThat(node.specs()).isEmpty();
    assertThat(node.ready()).isEmpty();
  }

  @Test
  void aSecondProcessOfABootResetsNothing() throws IOException {
    FakeNode node = preparedNode();
    node.bootId = "boot-2";
    node.start();
    Faults faults = new Faults();
    faults.fail("reset");

    assertThat(node.start(faults, PATIENT).held()).isEmpty();
  }

  @Test
  void refusesToStartWithoutCheckpointBesideCdiFiles() throws IOException {
    FakeNode node = preparedNode();
    Files.delete(node.checkpoint);

    assertThatThrownBy(() -> node.start(new Faults(), PATIENT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("checkpoint is missing")
        .hasMessageContaining("u1");
    assertThat(node.checkpoint).doesNotExist();
    assertThat(node.specs()).containsExactly(U1);
  }

  @Test
  void refusesToStartWithACorruptCheckpointAndLeavesIt() throws IOException {
    FakeNode node = preparedNode();
    String corrupt = Files.readString(node.checkpoint).replace("gpu-0", "gpu-1");
    Files.writeString(node.checkpoint, corrupt);

    assertThatThrownBy(() -> node.start(new Faults(), PATIENT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(node.checkpoint.toString())
        .hasMessageContaining("checksum");
    assertThat(node.checkpoint).hasContent(corrupt);
  }

  @Test
  void removesFilesOfClaimsThatAreNotHeld() throws IOException {
    FakeNode node = preparedNode();
    Path stray = node.cdi.resolve("k8s.gpu.resource.example.com-claim_u9.json");
    Files.writeString(stray, "{}");
    Path foreign = node.cdi.resolve("k8s.other.example.com-claim_u9.json");
    Files.writeString(foreign, "{}");

    node.start();

    assertThat(stray).doesNotExist();
    assertThat(foreign).exists();
  }

  @Test
  void reportsAClaimThatCannotBeRepairedAndKeepsItsDevices() throws IOException {
    FakeNode node = preparedNode();
    Faults faults = new Faults();
    faults.fail("setUp");

    StartupRecovery recovery = StartupRecovery.start(node.node(faults), node.grants, PATIENT);

    assertThat(recovery.unrepaired()).containsOnlyKeys(U1);
    assertThat(recovery.preparer().held()).hasSize(1);
  }

  @Test
  void repairsLaterWhatCouldNotBeRepairedAtTheStart() throws IOException {
    FakeNode node = preparedNode();
    node.devices.reset();
    Faults faults = new Faults();
    faults.fail("setUp");
    ClaimPreparer preparer =
        StartupRecovery.start(node.node(faults), node.grants, PATIENT).preparer();
    faults.clear();
    assertThat(node.ready()).isEmpty();

    preparer.sweep();

    assertThat(node.ready()).hasSize(1);
  }
}
