package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.uuid;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Inventory;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whose the devices are, who is told of it, and what is remembered. */
class HoldsTest {

  private final TwoNodes nodes = new TwoNodes();
  private final RecordingListener listener = nodes.listener;
  private final Ledgers ledgers = nodes.ledgers;

  @Test
  void aDeviceThatOneGrantNamesTwiceIsNotGrantedTwice() {
    nodes.observe("a", Samples.grant("a", "n0", 0, 0));

    assertThat(ledgers.ledger("n0").doubleGrants()).isEmpty();
    assertThat(listener.doubleGrants()).isEmpty();
  }

  @Test
  void onlyWhatTheInventoryLacksIsLost() {
    nodes.observe("a", Samples.grant("a", "n0", 0, 1));
    assertThat(ledgers.ledger("n0").lost()).isEmpty();
    ledgers.observe(inventory("n0", 1));

    assertThat(ledgers.ledger("n0").lost())
        .containsExactly(Map.entry(uid("a"), ImmutableSet.of(uuid("n0", 1))));
  }

  @Test
  void theListenerHearsOfAGrantThatWentBeforeItsOwnerSettled() {
    CommitResult done = ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    nodes.observe("a", Samples.grant(done, "a"));
    nodes.observeNothing("a");
    assertThat(listener.told()).isEmpty();
    ledgers.granted(uid("a"), OWNER);

    assertThat(listener.told()).containsExactly("n0 freed 1");
  }

  @Test
  void theListenerHearsOfAGrantThatGaveWayToAnUnreadableOne() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    listener.told();
    ledgers.observeUnreadable(uid("a"), "n1", new NodeLedger.Unreadable(ref("a"), "too new"));

    assertThat(listener.told()).contains("n0 freed 1");
  }

  @Test
  void aClaimIsRememberedForAsLongAsItHoldsSomething() {
    ledgers.commit("n0", pod(wants("a", 1), wants("b", 1)), OWNER, STAMP);
    nodes.observe("b", Samples.grant("b", "n1", 0));
    assertThat(ledgers.heldClaims()).isEqualTo(2);
    ledgers.release(uid("a"), OWNER);
    assertThat(ledgers.heldClaims()).isEqualTo(1);
    nodes.observeNothing("b");
    assertThat(ledgers.heldClaims()).as("its write may still land").isEqualTo(1);
    ledgers.release(uid("b"), OWNER);

    assertThat(ledgers.heldClaims()).isZero();
  }

  @Test
  void aNameThatWasGrantedAndNotSeenPreparedStaysUntilTheNodeSpeaks() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observeNothing("a");

    assertThat(refusal("n0", "a"))
        .contains(
            "may still be prepared on n0; waiting for its inventory (kubelet knows claims by name)");
    assertThat(refusal("n0", "b")).isEmpty();
    assertThat(refusal("n1", "a")).isEmpty();
    listener.told();
    ledgers.observe(inventory("n0", 1));
    assertThat(refusal("n0", "a")).as("it may have been made before").isPresent();
    ledgers.nodeSpoke("n0");

    assertThat(refusal("n0", "a")).isEmpty();
    assertThat(listener.told()).containsExactly("team-a/a is free as a name");
  }

  @Test
  void aNameStaysThoughTheNodeSpokeWhileItWasGranted() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    ledgers.nodeSpoke("n0");
    ledgers.release(uid("a"), OWNER);

    assertThat(refusal("n0", "a")).isPresent();
  }

  @Test
  void aNameThatWasSeenPreparedGoesWithThat() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    ledgers.observe(inventory("n0", 2));
    nodes.observeNothing("a");
    assertThat(refusal("n0", "a")).isEmpty();

    ledgers.observe(with(inventory("n0", 2), prepared("b", "n0", 0)));
    nodes.observe("b", Samples.grant("b", "n0", 0));
    ledgers.observe(inventory("n0", 2));
    nodes.observeNothing("b");
    assertThat(refusal("n0", "b")).as("prepared before we saw its grant").isEmpty();
  }

  @Test
  void aNameWhoseWriteWasSeenInTheApiStays() {
    CommitResult done = ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    nodes.observe("a", Samples.grant(done, "a"));
    ledgers.granted(uid("a"), OWNER);
    nodes.observeNothing("a");

    assertThat(refusal("n0", "a")).isPresent();
  }

  @Test
  void aNameThatWasSeenPreparedGoesHoweverOftenItsGrantIsSeen() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));
    ledgers.observe(inventory("n0", 2));
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observeNothing("a");

    assertThat(refusal("n0", "a")).isEmpty();
  }

  @Test
  void aNameStaysWhereAnotherClaimIsPrepared() {
    ledgers.observe(with(inventory("n0", 2), prepared("other", "n0", 1)));
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observeNothing("a");

    assertThat(refusal("n0", "a")).isPresent();
  }

  @Test
  void aDeviceThatIsGrantedTwiceIsNotFreeWhenOneOfTheGrantsGoes() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observe("b", Samples.grant("b", "n0", 0));
    listener.told();
    nodes.observeNothing("a");

    assertThat(listener.told()).doesNotContain("n0 freed 1");
  }

  @Test
  void ofSomeClaimsOnlyTheirOwnDevicesAreLookedAt() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observe("b", Samples.grant("b", "n0", 0));
    nodes.observe("c", Samples.grant("c", "n0", 1));

    assertThat(ledgers.ledger("n0").doubleGrants(ImmutableSet.of(uid("c")))).isEmpty();
    assertThat(ledgers.ledger("n0").doubleGrants(ImmutableSet.of(uid("a")))).hasSize(1);
  }

  @Test
  void aWriteThatNeverWasInTheApiLeavesNoName() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    ledgers.release(uid("a"), OWNER);

    assertThat(refusal("n0", "a")).isEmpty();
  }

  @Test
  void aNodeThatIsGoneKeepsNoName() {
    nodes.observe("a", Samples.grant("a", "n0", 0));
    nodes.observeNothing("a");
    ledgers.nodeGone("n0");

    assertThat(ledgers.snapshot()).extracting(NodeLedger::node).containsExactly("n1");
  }

  @Test
  void aClaimThatAnEarlierProcessReleasedUnseenWaitsForEachNodeToSpeak() {
    ledgers.nodeSpoke("n1");

    assertThat(refusal("n0", Samples.mayStillBePrepared(wants("a", 1))))
        .contains(
            "may still be prepared on n0; waiting for its inventory (kubelet knows claims by name)");
    assertThat(refusal("n1", Samples.mayStillBePrepared(wants("a", 1)))).isEmpty();
    assertThat(refusal("n0", "a")).as("another that asks for the same").isEmpty();
    ledgers.nodeSpoke("n0");
    assertThat(refusal("n0", Samples.mayStillBePrepared(wants("a", 1)))).isEmpty();
    ledgers.observe(NodeLedger.unknown("n0").inventory());
    ledgers.observe(inventory("n0", 2));

    assertThat(refusal("n0", Samples.mayStillBePrepared(wants("a", 1))))
        .as("it came back")
        .isPresent();
  }

  @Test
  void aClaimLingersUntilItsNodeHasSaidWhetherItHasItPrepared() {
    ledgers.nodeSpoke("n0");
    assertThat(ledgers.mayStillBePrepared(uid("a")))
        .as("n1 may have prepared whatever it is")
        .isTrue();
    ledgers.nodeSpoke("n1");
    assertThat(ledgers.mayStillBePrepared(uid("a"))).isFalse();
    nodes.observe("a", Samples.grant("a", "n0", 0));
    assertThat(ledgers.mayStillBePrepared(uid("a"))).isTrue();
    assertThat(ledgers.mayStillBePrepared(uid("b"))).isFalse();
    ledgers.observe(with(inventory("n0", 2), prepared("a", "n0", 0)));

    assertThat(ledgers.mayStillBePrepared(uid("a"))).isFalse();
  }

  @Test
  void aNodeThatGrantsNothingKeepsNoClaimLingering() {
    ledgers.nodeSpoke("n1");
    ledgers.observe(inventory("n0", 2).with(new Inventory.Service.NotReady("Stopped")));

    assertThat(ledgers.mayStillBePrepared(uid("a"))).isFalse();
  }

  private Optional<String> refusal(String node, String claim) {
    return refusal(node, wants(claim, 1));
  }

  private Optional<String> refusal(String node, ClaimRequest claim) {
    return Samples.refusal(ledgers, node, pod(claim), new SearchBudget())
        .map(no -> Samples.reason(no, claim.ref().name()).text(Samples.READER));
  }

  @Test
  void whatIsInFlightStaysWhereItIsThoughTheNodeTakesNobodyElse() {
    CommitResult first = ledgers.commitBest(pod(wants("a", 1)), OWNER, STAMP);
    String node = ((CommitResult.Committed) first).node();
    ledgers.nodeGone(node);

    assertThat(ledgers.commitBest(pod(wants("a", 1)), OWNER, STAMP)).isEqualTo(first);
  }

  @Test
  void aClaimThatIsGrantedAlreadyIsRefusedByEveryNode() {
    nodes.observe("a", Samples.grant("a", "n0", 0));

    assertThat(ledgers.commitBest(pod(wants("a", 1)), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Refused.class,
            no -> assertThat(no.reasons()).containsOnlyKeys("n0", "n1"));
  }

  @Test
  void givingUpAWriteThatTheApiShowsGivesItBack() {
    CommitResult done = ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    nodes.observe("a", Samples.grant(done, "a"));
    ledgers.release(uid("a"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).isEmpty();
  }

  @Test
  void aGrantThatTheApiShowsStaysWhenItsOwnerSettles() {
    CommitResult done = ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    nodes.observe("a", Samples.grant(done, "a"));
    ledgers.granted(uid("a"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).hasSize(1);
  }

  @Test
  void aGrantThatTheApiDidNotShowYetStaysWhenItsOwnerSettles() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    nodes.observeNothing("a");
    ledgers.granted(uid("a"), OWNER);

    assertThat(ledgers.ledger("n0").occupied()).hasSize(1);
  }

  @Test
  void nothingOfANodeThatIsClosedCountsAsFree() {
    ledgers.observeUnreadable(uid("x"), "n0", new NodeLedger.Unreadable(ref("x"), "too new"));
    ledgers.observe(inventory("n0", 5));

    assertThat(listener.told()).isEmpty();
  }

  @Test
  void whoPreparedADeviceIsNamedAndNobodyElse() {
    ledgers.observe(
        with(inventory("n0", 2), prepared("other", "n0", 0), prepared("mine", "n0", 1)));

    assertThat(
            Samples.reason(
                    Samples.refusal(
                            ledgers, "n0", pod(wants("a", 1, 0b10, "this one")), new SearchBudget())
                        .orElseThrow(),
                    "a")
                .text(new NamespaceAudience("team-a")))
        .endsWith("draining from team-a/mine");
  }

  @Test
  void nodesThatCameAndWentAreForgotten() {
    LedgerStore store = new LedgerStore(CommitGuard.NONE);
    for (int i = 0; i < 1_000; i++) {
      String node = "short" + i;
      store.change(node, ledger -> ledger.with(inventory(node, 1)));
      store.change(node, ledger -> ledger.with(NodeLedger.unknown(node).inventory()));
    }

    assertThat(store.changesAfter(1))
        .isEqualTo(new LedgerStore.Changes(2_000, ImmutableSet.of(), true));
    assertThat(store.changesAfter(1_999).nodes()).hasSizeLessThan(2);
  }
}
