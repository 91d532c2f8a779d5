package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.READER;
import static io.gpudra.controller.allocation.Samples.SOMEBODY_ELSE;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.grant;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.uuid;
import static io.gpudra.controller.allocation.Samples.uuids;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.NodeFixture;
import org.junit.jupiter.api.Test;

class LedgersTest {

  private final TwoNodes nodes = new TwoNodes();
  private final RecordingListener listener = nodes.listener;
  private final Ledgers ledgers = nodes.ledgers;

  private CommitResult commit(String node, ClaimRequest... claims) {
    return ledgers.commit(node, pod(claims), OWNER, STAMP);
  }

  @Test
  void grantsCarryWhatTheyAreForAndWhenTheyWereDecided() {
    Grant grant = grant(commit("n0", wants("a", 2)), "a");

    assertThat(grant).isEqualTo(Samples.grant("a", "n0", 0, 1));
  }

  private static Grant grant(CommitResult commitResult, String claim) {
    return Samples.grant(commitResult, claim);
  }

  @Test
  void aQuestionChangesNothing() {
    NodeLedger before = ledgers.ledger("n0");

    assertThat(Samples.refusal(ledgers, "n0", pod(wants("a", 2)), new SearchBudget())).isEmpty();
    assertThat(Samples.refusal(ledgers, "n0", pod(wants("a", 3)), new SearchBudget())).isPresent();
    assertThat(ledgers.ledger("n0")).isSameAs(before);
  }

  @Test
  void whatIsInFlightOutlivesAnApiThatDoesNotShowItYet() {
    commit("n0", wants("a", 1));
    nodes.observeNothing("a");

    assertThat(ledgers.ledger("n0").occupied()).containsExactly(uuid("n0", 0));
  }

  @Test
  void whatIsGrantedGoesWhenTheApiDropsIt() {
    commit("n0", wants("a", 1));
    ledgers.granted(uid("a"), OWNER);
    assertThat(ledgers.ledger("n0").occupied()).hasSize(1);
    nodes.observeNothing("a");

    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
  }

  @Test
  void aGrantThatCameAndWentBeforeItsOwnerSettledIsNotResurrected() {
    Grant grant = grant(commit("n0", wants("a", 1)), "a");
    nodes.observe("a", grant);
    nodes.observeNothing("a");
    ledgers.granted(uid("a"), OWNER);

    assertThat(ledgers.snapshot()).allMatch(ledger -> ledger.holds().isEmpty());
  }

  @Test
  void onlyItsOwnerSettlesOrEndsWhatIsInFlight() {
    commit("n0", wants("a", 1));
    ledgers.release(uid("a"), SOMEBODY_ELSE);
    ledgers.granted(uid("a"), SOMEBODY_ELSE);

    assertThat(ledgers.ledger("n0").holds().values())
        .allMatch(hold -> hold.inFlight().isPresent())
        .hasSize(1);
  }

  @Test
  void releaseGivesBackWhatIsGrantedBeforeTheApiDropsIt() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    ledgers.release(uid("a"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
    assertThat(listener.told()).containsExactly("n0 freed 1");
  }

  @Test
  void givingUpAWriteLeavesTheGrantThatSomebodyElseWrote() {
    commit("n0", wants("a", 1));
    nodes.observe("a", Samples.grant("a", "n0", 1));
    ledgers.release(uid("a"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).containsExactly(uuid("n0", 1));
    nodes.observeNothing("a");
    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
  }

  @Test
  void releaseIsRepeatableAndNeverFails() {
    commit("n0", wants("a", 1));
    ledgers.release(uid("a"), OWNER);
    ledgers.release(uid("a"), OWNER);
    ledgers.release(new ClaimUid("never heard of"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
  }

  @Test
  void aClaimThatIsHeldOnOneNodeIsRefusedOnEveryOther() {
    commit("n0", wants("a", 1));

    assertThat(reason(commit("n1", wants("a", 1)), "n1", "a").text(READER))
        .isEqualTo("claim already holds GPUs of n0");
    assertThat(
            reason(
                    Samples.refusal(ledgers, "n1", pod(wants("a", 1)), new SearchBudget())
                        .orElseThrow(),
                    "a")
                .kind()
                .label())
        .isEqualTo("held");
    assertThat(Samples.refusal(ledgers, "n0", pod(wants("a", 1)), new SearchBudget())).isEmpty();
  }

  @Test
  void aClaimThatAnotherPassHasInFlightIsRefusedEvenThere() {
    commit("n0", wants("a", 1));
    CommitResult other = ledgers.commit("n0", pod(wants("a", 1)), SOMEBODY_ELSE, STAMP);

    assertThat(reason(other, "n0", "a").kind().label()).isEqualTo("held");
  }

  @Test
  void aClaimThatTheApiShowsAsGrantedIsNotCommittedAgain() {
    nodes.observe("a", Samples.grant("a", "n0", 1));

    assertThat(reason(commit("n0", wants("a", 1)), "n0", "a").kind().label()).isEqualTo("held");
  }

  @Test
  void aBatchThatGrowsKeepsWhatItHas() {
    CommitResult first = commit("n0", wants("a", 1));
    CommitResult both = commit("n0", wants("a", 1), wants("b", 1));

    assertThat(grant(both, "a")).isEqualTo(grant(first, "a"));
    assertThat(uuids(both, "b")).containsExactly(uuid("n0", 1));
  }

  @Test
  void whatIsInFlightStaysGrantedToItsOwnerWhateverBecomesOfTheNode() {
    CommitResult first = commit("n0", wants("a", 1));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    assertThat(commit("n0", wants("a", 1))).isEqualTo(first);
    ledgers.nodeGone("n0");

    assertThat(commit("n0", wants("a", 1))).isEqualTo(first);
  }

  @Test
  void aGrantThatMovedIsHeldOnItsNewNodeOnly() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observe("a", Samples.grant("a", "n1", 1));

    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
    assertThat(ledgers.ledger("n1").occupied()).containsExactly(uuid("n1", 1));
  }

  @Test
  void aGrantThatSomebodyElseWroteCountsBesideTheOneInFlight() {
    commit("n0", wants("a", 1));
    nodes.observe("a", Samples.grant("a", "n0", 1));
    assertThat(ledgers.ledger("n0").occupied()).hasSize(2);
    ledgers.release(uid("a"), OWNER);
    nodes.observe("a", Samples.grant("a", "n0", 1));

    assertThat(ledgers.ledger("n0").occupied()).containsExactly(uuid("n0", 1));
  }

  @Test
  void preparedDevicesStayOccupiedAfterTheirGrantIsGone() {
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    nodes.observe("a", Samples.grant("a", "n0", 0));
    assertThat(ledgers.ledger("n0").draining()).isEmpty();
    nodes.observeNothing("a");

    assertThat(ledgers.ledger("n0").draining()).containsExactly(uuid("n0", 0));
    assertThat(uuids(commit("n0", wants("b", 1)), "b")).containsExactly(uuid("n0", 1));
  }

  @Test
  void aGrantedDeviceThatTheInventoryLostStaysHeldAndIsReported() {
    nodes.observe("a", Samples.grant("a", "n0", 1));
    ledgers.observe(inventory("n0", 1));
    assertThat(ledgers.ledger("n0").lost().get(uid("a"))).containsExactly(uuid("n0", 1));
    ledgers.observe(inventory("n0", 2));

    assertThat(uuids(commit("n0", wants("b", 1)), "b")).containsExactly(uuid("n0", 0));
  }

  @Test
  void aNodeThatIsGoneIsForgottenOnceNothingIsHeldThere() {
    nodes.observe("a", Samples.grant("a", "n0", 1));
    ledgers.nodeGone("n0");
    assertThat(ledgers.ledger("n0").occupied()).hasSize(1);
    nodes.observeNothing("a");

    assertThat(ledgers.snapshot()).extracting(NodeLedger::node).containsExactly("n1");
  }

  @Test
  void anUnreadableHandleClosesItsNodeUntilTheApiNoLongerShowsIt() {
    ledgers.observeUnreadable(
        uid("old"), "n0", new NodeLedger.Unreadable(ref("old"), "handle is no JSON"));
    ledgers.release(uid("old"), OWNER);
    assertThat(reason(commit("n0", wants("b", 1)), "n0", "b").kind().label())
        .isEqualTo("unreadableHandle");
    assertThat(commit("n1", wants("b", 1))).isInstanceOf(CommitResult.Committed.class);
    nodes.observeNothing("old");

    assertThat(listener.told()).containsExactly("n0 freed 2");
    assertThat(commit("n0", wants("c", 1))).isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void aHandleThatBecomesReadableOpensItsNode() {
    ledgers.observeUnreadable(uid("a"), "n0", new NodeLedger.Unreadable(ref("a"), "too new"));
    nodes.observe("a", Samples.grant("a", "n0", 0));

    assertThat(uuids(commit("n0", wants("b", 1)), "b")).containsExactly(uuid("n0", 1));
  }

  @Test
  void devicesGrantedTwiceAreOccupiedAndToldOnce() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observe("b", Samples.grant("b", "n0", 0));
    nodes.observe("c", Samples.grant("c", "n0", 1));

    assertThat(listener.doubleGrants())
        .singleElement()
        .satisfies(
            twice -> {
              assertThat(twice.deviceUuid()).isEqualTo(uuid("n0", 0));
              assertThat(twice.claims()).containsOnlyKeys(uid("a"), uid("b"));
            });
    nodes.observeNothing("a");
    assertThat(ledgers.ledger("n0").occupied()).contains(uuid("n0", 0));
  }

  @Test
  void whoListensLateIsToldWhatThereIs() {
    Ledgers read = new Ledgers();
    read.observe(inventory("n0", 3));
    Samples.hold(read, "a", "n0", 0);
    Samples.hold(read, "b", "n0", 0);

    RecordingListener late = new RecordingListener();
    read.setListener(late);

    assertThat(late.doubleGrants()).hasSize(1);
    assertThat(late.told())
        .containsExactlyInAnyOrder(
            "n0 freed 2", ref("a") + " is surplus", ref("b") + " is surplus");
    Samples.hold(read, "c", "n0", 1);
    Samples.hold(read, "d", "n0", 1);
    assertThat(late.doubleGrants()).hasSize(2);
  }

  @Test
  void ofDevicesGrantedTwiceWhatTheNodeHasNotPreparedIsSurplus() {
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    nodes.observe("a", Samples.grant("a", "n0", 0));
    listener.told();
    nodes.observe("b", Samples.grant("b", "n0", 0));
    assertThat(listener.told()).containsExactly(ref("b") + " is surplus");
    assertThat(ledgers.isSurplus(uid("a"))).isFalse();
    assertThat(ledgers.isSurplus(uid("b"))).isTrue();

    ledgers.observe(inventory("n0", 2));
    assertThat(listener.told()).contains(ref("a") + " is surplus");
    nodes.observeNothing("b");
    assertThat(ledgers.isSurplus(uid("a"))).isFalse();
  }

  @Test
  void theListenerHearsWhenDevicesBecomeFree() {
    commit("n0", wants("a", 2));
    assertThat(listener.told()).isEmpty();
    ledgers.release(uid("a"), OWNER);

    assertThat(listener.told()).containsExactly("n0 freed 2");
  }

  @Test
  void theListenerHearsNothingWhileAReleasedDeviceIsStillPrepared() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    nodes.observeNothing("a");
    assertThat(listener.told()).isEmpty();
    ledgers.observe(inventory("n0", 2));

    assertThat(listener.told()).containsExactly("n0 freed 1", ref("a") + " is free as a name");
  }

  @Test
  void theListenerHearsWhenServiceStopsAndResumes() {
    Inventory serving = inventory("n0", 2);
    ledgers.observe(serving.with(new Inventory.Service.NotReady("Stopped")));
    assertThat(listener.told()).as("what is lost is nobody's gain").isEmpty();
    ledgers.observe(serving);

    assertThat(listener.told()).containsExactly("n0 freed 2");
  }

  @Test
  void theListenerHearsWhenDevicesAppear() {
    ledgers.observe(inventory("n0", 5));

    assertThat(listener.told()).containsExactly("n0 freed 3");
  }

  private static NodeState state(String node, boolean cordoned, String label) {
    NodeState state = NodeFixture.ready(node, "label", label);
    return cordoned ? NodeFixture.cordoned(state) : state;
  }

  private void becomes(Inventory inventory, boolean cordoned, String label) {
    ledgers.observe(with(inventory, state(inventory.node().name(), cordoned, label)));
  }

  @Test
  void aNodeWithoutGpusIsNobodysGainWhateverHappensToIt() {
    Inventory bare = inventory("bare", 0);
    becomes(bare, true, "a");
    becomes(bare, false, "b");
    ledgers.nodeGone("bare");

    assertThat(listener.told()).isEmpty();
  }

  @Test
  void aCordonIsNobodysGainAndItsEndIsThatOfTheFreeDevices() {
    becomes(inventory("n0", 2), false, "a");
    commit("n0", wants("a", 1));
    listener.told();
    becomes(inventory("n0", 2), true, "a");
    becomes(inventory("n0", 2), true, "b");
    assertThat(listener.told()).isEmpty();
    becomes(inventory("n0", 2), false, "b");

    assertThat(listener.told()).containsExactly("n0 freed 1");
  }

  @Test
  void otherLabelsMayAdmitOtherClasses() {
    becomes(inventory("n0", 2), false, "a");
    listener.told();
    becomes(inventory("n0", 2), false, "b");

    assertThat(listener.told()).containsExactly("n0 freed 2");
  }

  @Test
  void theSameInventoryAgainIsNoNews() {
    ledgers.observe(inventory("n0", 2));

    assertThat(listener.told()).isEmpty();
  }

  @Test
  void aBatchThatNamesAClaimTwiceOrNobodyIsADefectOfTheCaller() {
    assertThatThrownBy(() -> pod(wants("a", 1), wants("a", 2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pod()).isInstanceOf(IllegalArgumentException.class);
  }
}
