package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kubelet 1.27 after a boot: it starts the pods of known claims without a call. */
class BootRestoreTest {

  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");

  private FakeNode node;
  private ClaimPreparer preparer;
  private BootRestore bootRestore;

  @BeforeEach
  void boot() {
    node = new FakeNode(directory);
    ClaimPreparer before = node.start();
    before.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
    before.answered(ImmutableList.of(U1));
    node.bootId = "boot-2";
    preparer = node.start();
    bootRestore = new BootRestore(preparer, node.grants);
  }

  private void isLeftAlone() {
    assertThat(bootRestore.attempt()).isEmpty();
    assertThat(preparer.held()).isEmpty();
    assertThat(preparer.listed()).as("the name is kept").hasSize(1);
  }

  @Test
  void aClaimInUseIsPreparedAgainWithItsFile() throws IOException {
    node.grants.grant(ref("u1"), node.grant("u1", 0));

    assertThat(bootRestore.attempt()).isEmpty();

    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(U1);
    assertThat(node.specs()).containsExactly(U1);
    assertThat(node.start().held()).as("only unprepare undoes it").hasSize(1);
  }

  @Test
  void aClaimThatIsBackIsNotAskedForAgain() {
    node.grants.grant(ref("u1"), node.grant("u1", 0));

    bootRestore.attempt();
    bootRestore.attempt();

    assertThat(node.grants.asked).hasSize(1);
  }

  @Test
  void aClaimThatIsGone() {
    isLeftAlone();
  }

  @Test
  void aClaimThatWasMadeAnew() {
    node.grants.grant(ref("u1"), node.grant("u2", 0));
    isLeftAlone();
  }

  @Test
  void aClaimThatWasGrantedAnotherDevice() {
    node.grants.grant(ref("u1"), node.grant("u1", 1));
    isLeftAlone();
  }

  @Test
  void aClaimThatWasGrantedHereAnewIsPreparedOnceThatIsAsked() {
    node.grants.grant(ref("u1"), node.grant("u1", 1));

    assertThat(bootRestore.again()).isEmpty();

    assertThat(preparer.held())
        .singleElement()
        .satisfies(
            held ->
                assertThat(held.deviceUuids())
                    .containsExactly(node.grant("u1", 1).devices().get(0).uuid()));
  }

  @Test
  void aClaimThatWasGrantedElsewhere() {
    Grant here = node.grant("u1", 0);
    Grant there = new Grant(U1, "worker-9", 1, here.generation(), here.at(), here.devices());
    node.grants.grant(ref("u1"), there);

    assertThat(bootRestore.again()).isEmpty();
    isLeftAlone();
  }

  @Test
  void aClaimThatNobodyReserves() {
    Grant grant = node.grant("u1", 0);
    node.grants.put(ref("u1"), new LiveGrant.Granted(U1, grant, ImmutableSet.of()));
    isLeftAlone();
  }

  @Test
  void aClaimThatCannotBeReadWhoeverAsks() {
    node.grants.put(ref("u1"), new LiveGrant.Unreadable("too large"));
    isLeftAlone();
  }

  @Test
  void aClaimWhoseDeviceAnotherHolds() {
    preparer.prepare(node.request("u3", 0), PrepareCall.withoutDeadline());
    node.grants.grant(ref("u1"), node.grant("u1", 0));

    assertThat(bootRestore.attempt()).isEmpty();

    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(new ClaimUid("u3"));
  }

  @Test
  void withoutAnAnswerItMustBeTriedAgain() {
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    node.grants.away = true;
    assertThat(bootRestore.attempt()).contains("connection refused");
    assertThat(bootRestore.again()).contains("connection refused");
    assertThat(preparer.held()).isEmpty();
    node.grants.away = false;

    assertThat(bootRestore.attempt()).isEmpty();

    assertThat(preparer.held()).hasSize(1);
  }
}
