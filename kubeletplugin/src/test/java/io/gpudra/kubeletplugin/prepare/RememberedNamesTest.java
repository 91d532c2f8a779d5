package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kubelet sends the handle that it saw before the boot, whatever the claim is granted by now. */
class RememberedNamesTest {

  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final ClaimRef NAME = ref("u1");

  @TempDir Path directory = Path.of("");

  private FakeNode node;

  @BeforeEach
  void install() {
    node = new FakeNode(directory);
  }

  /** Of a node that has booted since claim u1 was prepared with gpu-0. */
  private ClaimPreparer booted() {
    prepare(node.start(), node.request("u1", 0));
    node.bootId = "boot-2";
    return node.start();
  }

  private static PrepareOutcome prepare(ClaimPreparer preparer, PrepareRequest request) {
    PrepareOutcome outcome = preparer.prepare(request, PrepareCall.endingIn(Duration.ZERO));
    preparer.answered(ImmutableList.of(request.uid()));
    return outcome;
  }

  private String devices(ClaimPreparer preparer) {
    return preparer.held().stream()
        .map(claim -> claim.uid() + "=" + claim.deviceUuids())
        .reduce("", String::concat);
  }

  private String gpu(String uid, int index) {
    return uid + "=[" + node.devices.gpus().get(index).uuid() + "]";
  }

  @Test
  void aClaimThatIsGrantedAnotherDeviceByNowGetsThatOne() {
    ClaimPreparer preparer = booted();
    node.grants.grant(NAME, node.grant("u1", 1));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Ready.class);

    assertThat(devices(preparer)).isEqualTo(gpu("u1", 1));
  }

  @Test
  void aClaimThatWasMadeAnewUnderItsNameStarts() {
    ClaimPreparer preparer = booted();
    node.grants.grant(NAME, node.grant("u2", 1));

    PrepareRequest oldHandle = new PrepareRequest(new ClaimUid("u2"), NAME, node.grant("u1", 0));
    assertThat(prepare(preparer, oldHandle)).isInstanceOf(Ready.class);

    assertThat(devices(preparer)).isEqualTo(gpu("u2", 1));
  }

  @Test
  void theHandleOfAnotherClaimIsDoubtedThoughNothingIsRemembered() {
    ClaimPreparer preparer = node.start();
    node.grants.grant(NAME, node.grant("u2", 1));

    PrepareRequest others = new PrepareRequest(new ClaimUid("u2"), NAME, node.grant("u1", 0));
    assertThat(prepare(preparer, others)).isInstanceOf(Ready.class);

    assertThat(devices(preparer)).isEqualTo(gpu("u2", 1));
  }

  @Test
  void aClaimThatMeetsTheKeyOfAnotherNameGetsItsOwn() {
    ClaimPreparer preparer = booted();
    ClaimRef neighbour = new ClaimRef("1team-a", "claim-of-u");
    node.grants.grant(neighbour, node.grant("u2", 1));

    prepare(preparer, new PrepareRequest(new ClaimUid("u2"), neighbour, node.grant("u1", 0)));

    assertThat(devices(preparer)).isEqualTo(gpu("u2", 1));
  }

  @Test
  void onTheOrdinaryPathNobodyIsAsked() {
    ClaimPreparer preparer = node.start();
    prepare(preparer, node.request("u1", 0));
    prepare(preparer, node.request("u1", 0));
    preparer = node.start();
    prepare(preparer, node.request("u1", 0));
    preparer.unprepare(U1, NAME, PrepareCall.withoutDeadline());
    prepare(preparer, node.request("u1", 1));

    node.bootId = "boot-2";
    prepare(node.start(), node.request("u2", 1));

    assertThat(node.grants.asked).isEmpty();
  }

  @Test
  void aRememberedNameIsAskedForOnce() {
    ClaimPreparer preparer = booted();
    node.grants.grant(NAME, node.grant("u1", 0));

    prepare(preparer, node.request("u1", 0));
    prepare(preparer, node.request("u1", 0));

    assertThat(node.grants.asked).containsExactly(NAME);
    assertThat(devices(preparer)).isEqualTo(gpu("u1", 0));
  }

  @Test
  void theHandleOfBeforeIsNotUsedWithoutAnAnswer() {
    ClaimPreparer preparer = booted();
    node.grants.away = true;

    PrepareOutcome outcome = prepare(preparer, node.request("u1", 0));

    assertThat(outcome).isInstanceOf(Refused.class);
    PrepareRefusal refusal = ((Refused) outcome).refusal();
    assertThat(refusal.kind()).isEqualTo(PrepareRefusal.Kind.BUSY);
    assertThat(refusal.text()).contains(NAME.toString(), "may be outdated", "connection refused");
    assertThat(preparer.held()).isEmpty();
  }

  @Test
  void norWithoutAGrant() {
    ClaimPreparer preparer = booted();
    node.grants.put(NAME, new LiveGrant.NotGranted(U1, "it has 0 handles of this driver"));

    PrepareOutcome outcome = prepare(preparer, node.request("u1", 0));

    assertThat(((Refused) outcome).refusal().text()).contains("0 handles of this driver");
    assertThat(preparer.held()).isEmpty();
  }

  /** The kubelet's checkpoint still has the first handle, and a restarted one asks with it. */
  @Test
  void whatWasPreparedIsAlsoTheAnswerToTheHandleOfBefore() {
    ClaimPreparer preparer = booted();
    node.grants.grant(NAME, node.grant("u1", 1));
    prepare(preparer, node.request("u1", 0));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Ready.class);

    assertThat(devices(preparer)).isEqualTo(gpu("u1", 1));
  }

  @Test
  void noDeviceIsTakenFromWhoHoldsIt() {
    ClaimPreparer preparer = booted();
    prepare(preparer, node.request("u3", 0));
    node.grants.grant(NAME, node.grant("u1", 0));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Refused.class);

    assertThat(devices(preparer)).isEqualTo(gpu("u3", 0));
  }

  @Test
  void theMemoryOutlivesProcessesAndBootsUntilTheKubeletUnprepares() {
    booted();
    node.bootId = "boot-3";
    node.start();
    ClaimPreparer preparer = node.start();
    assertThat(preparer.remembered()).hasSize(1);

    assertThat(preparer.unprepare(U1, NAME, PrepareCall.withoutDeadline())).isEmpty();

    assertThat(preparer.remembered()).isEmpty();
    assertThat(node.start().remembered()).isEmpty();
  }

  @Test
  void whatCannotBeWrittenIsNotForgotten() throws IOException {
    booted();
    Faults faults = new Faults();
    ClaimPreparer preparer = node.start(faults, FakeNode.HASTY);
    faults.fail("save");

    assertThat(preparer.unprepare(U1, NAME, PrepareCall.withoutDeadline())).isPresent();
    assertThat(preparer.remembered()).hasSize(1);
    faults.clear();
    assertThat(preparer.unprepare(U1, NAME, PrepareCall.withoutDeadline())).isEmpty();
    assertThat(preparer.remembered()).isEmpty();
  }

  @Test
  void aNameStaysListedUntilItIsKnownThatTheKubeletAsks() {
    ClaimPreparer preparer = booted();
    assertThat(preparer.listed()).containsExactly(GrantFixture.prepared(U1, NAME));

    preparer.kubeletAsksAgain();

    assertThat(preparer.listed()).isEmpty();
  }

  @Test
  void aNameIsListedOnceAndNoMoreAfterItsUnprepare() {
    ClaimPreparer preparer = booted();
    node.grants.grant(NAME, node.grant("u2", 1));
    prepare(preparer, new PrepareRequest(new ClaimUid("u2"), NAME, node.grant("u1", 0)));
    assertThat(preparer.listed())
        .extracting(PreparedClaim::uid)
        .containsExactly(new ClaimUid("u2"));

    preparer.unprepare(U1, NAME, PrepareCall.withoutDeadline());

    assertThat(preparer.listed()).isEmpty();
  }

  @Test
  void aCheckpointOfBeforeThereWasAMemoryIsRead() throws IOException {
    Files.writeString(
        node.checkpoint,
        """
        {"version":1,"sha256":"%s","state":%s}
        """
            .formatted(sum(OLD), OLD));

    assertThat(node.start().held()).extracting(PreparedClaim::uid).containsExactly(U1);
  }

  private static final String OLD =
      "{\"bootID\":\"boot-1\",\"claims\":{\"u1\":{\"phase\":\"PREPARED\",\"namespace\":\"a\","
          + "\"name\":\"c\",\"node\":\"worker-1\",\"epoch\":1,\"at\":\"1970-01-01T00:00:00Z\","
          + "\"devices\":[]}}}";

  private static String sum(String text) {
    return Hashing.sha256().hashString(text, UTF_8).toString();
  }
}
