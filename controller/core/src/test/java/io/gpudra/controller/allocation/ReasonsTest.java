package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.READER;
import static io.gpudra.controller.allocation.Samples.grant;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What people read when a claim cannot have a node. */
class ReasonsTest {

  private static final String NODE = "worker-1";
  private static final Inventory EIGHT = inventory(NODE, 8);
  private static final long FIRST_TWO = 0b11;
  private static final Instant HEARD = Instant.parse("2026-11-21T07:56:50.123456Z");

  private static NodeLedger empty() {
    return NodeLedger.of(EIGHT);
  }

  private static NodeLedger ledger(Inventory inventory) {
    return NodeLedger.of(inventory);
  }

  private static NodeLedger held(NodeLedger ledger, String claim, int... devices) {
    return ledger.committed(ref(claim), grant(claim, NODE, devices), OWNER);
  }

  private static NodeLedger unreadable() {
    return empty()
        .observed(
            uid("old"), new NodeLedger.Unreadable(ref("old"), "handle format 7 is newer than 2"));
  }

  private static ClaimRequest one(long devices) {
    return wants("new", 1, devices, "memory >= 40Gi");
  }

  static Stream<Arguments> shortages() {
    return Stream.of(
        arguments(
            held(empty(), "train", 0, 1),
            one(FIRST_TWO),
            "allMatchingInUse",
            "2 of 8 GPUs match memory >= 40Gi, both granted to team-a/train"),
        arguments(
            held(empty(), "train", 0),
            one(0b1),
            "allMatchingInUse",
            "1 of 8 GPUs matches memory >= 40Gi, granted to team-a/train"),
        arguments(
            held(held(empty(), "a", 0, 1, 2, 3), "b", 4, 5, 6, 7),
            wants("new", 1),
            "allMatchingInUse",
            "8 GPUs, all granted to team-a/a, team-a/b"),
        arguments(
            held(ledger(with(EIGHT, prepared("b", NODE, 1))), "a", 0),
            one(FIRST_TWO),
            "allMatchingInUse",
            "2 of 8 GPUs match memory >= 40Gi, 1 granted to team-a/a, 1 draining from team-a/b"));
  }

  static Stream<Arguments> mixedShortages() {
    return Stream.of(
        arguments(
            ledger(with(inventory(NODE, 1), prepared("b", NODE, 0))),
            wants("new", 1),
            "allMatchingInUse",
            "1 GPU, draining from team-a/b"),
        arguments(
            held(ledger(with(EIGHT, prepared("a", NODE, 0))), "a", 0),
            one(0b1),
            "allMatchingInUse",
            "1 of 8 GPUs matches memory >= 40Gi, granted to team-a/a"),
        arguments(
            held(empty(), "a", 0, 1, 2, 3, 4),
            wants("new", 4),
            "tooFewFree",
            "8 GPUs, 5 granted to team-a/a, 3 free, 4 wanted"),
        arguments(
            crowded(),
            wants("new", 1),
            "allMatchingInUse",
            "8 GPUs, all granted to team-a/c0, team-a/c1, team-a/c2, team-a/c3 and 4 more"));
  }

  static Stream<Arguments> lastingShortages() {
    return Stream.of(
        arguments(empty(), one(0), "noneMatch", "none of 8 GPUs matches memory >= 40Gi"),
        arguments(
            empty(), wants("new", 1, 0, ""), "noneMatch", "none of 8 GPUs can be allocated whole"),
        arguments(ledger(inventory(NODE, 0)), wants("new", 1), "noneMatch", "node has no GPUs"),
        arguments(
            empty(),
            wants("new", 4, FIRST_TWO, "memory >= 40Gi"),
            "tooFewMatch",
            "2 of 8 GPUs match memory >= 40Gi, 4 wanted"),
        arguments(
            empty(),
            wants("new", 4, FIRST_TWO, ""),
            "tooFewMatch",
            "2 of 8 GPUs can be allocated whole, 4 wanted"),
        arguments(empty(), wants("new", 9), "tooFewMatch", "8 GPUs, 9 wanted"));
  }

  /** What people of one namespace may know of another's claims is how many there are. */
  static Stream<Arguments> claimsOfOthers() {
    ClaimRef secret = new ClaimRef("team-b", "secret");
    return Stream.of(
        arguments(
            empty().committed(secret, grant("s", NODE, 0, 1), OWNER),
            one(FIRST_TWO),
            "allMatchingInUse",
            "2 of 8 GPUs match memory >= 40Gi, both granted to a claim of another namespace"),
        arguments(
            held(empty().committed(secret, grant("s", NODE, 0), OWNER), "a", 1),
            one(FIRST_TWO),
            "allMatchingInUse",
            "2 of 8 GPUs match memory >= 40Gi, both granted to team-a/a and a claim of another"
                + " namespace"),
        arguments(
            ledger(with(EIGHT, prepared(uid("s"), secret, NODE, 0))),
            one(0b1),
            "allMatchingInUse",
            "1 of 8 GPUs matches memory >= 40Gi, draining from a claim of another namespace"),
        arguments(
            empty().observed(uid("s"), new NodeLedger.Unreadable(secret, "handle is no JSON")),
            wants("new", 1),
            "unreadableHandle",
            "a claim of another namespace has unknown GPUs of this node: handle is no JSON"));
  }

  private static NodeLedger crowded() {
    NodeLedger ledger = empty();
    for (int i = 0; i < 8; i++) {
      ledger = held(ledger, "c" + i, i);
    }
    return ledger;
  }

  /** With as many claims of GPUs whose names it has changed since. */
  private static NodeLedger renamed(int claims) {
    NodeLedger ledger = empty();
    for (int i = 0; i < claims; i++) {
      ledger = held(ledger, "old" + i, EIGHT.gpus().size() + i);
    }
    return ledger;
  }

  @Test
  void aNodeWithAsManyClaimsAsThereMayBeAcceptsOneMore() {
    NodeLedger full = renamed(NodeLedger.MAX_HOLDS);
    assertThat(PodPlacer.place(full, pod(wants("new", 1)), new SearchBudget()))
        .isInstanceOf(Placement.Fits.class);
  }

  @Test
  void monitorsTakeNoRoomOfANode() {
    NodeLedger full = renamed(NodeLedger.MAX_HOLDS);
    assertThat(PodPlacer.place(held(full, "monitor"), pod(wants("new", 1)), new SearchBudget()))
        .isInstanceOf(Placement.Fits.class);
    assertThat(held(full, "monitor").holdsWithDevices()).isEqualTo(NodeLedger.MAX_HOLDS);
  }

  static Stream<Arguments> obstacles() {
    return Stream.of(
        arguments(
            ledger(EIGHT.with(new Service.Stale(HEARD))),
            wants("new", 1),
            "inventoryStale",
            "plugin silent since 2026-11-21T07:56:50Z"),
        arguments(
            ledger(EIGHT.with(new Service.NotReady("Stopped"))),
            wants("new", 1),
            "pluginNotReady",
            "plugin not ready: Stopped"),
        arguments(
            ledger(EIGHT.with(new Service.Implausible("status.devices: Too many"))),
            wants("new", 1),
            "inventoryImplausible",
            "no node has what it reports: status.devices: Too many"),
        arguments(
            renamed(NodeLedger.MAX_HOLDS + 1),
            wants("new", 1),
            "inventoryImplausible",
            "no node has what it reports: 4097 claims hold its GPUs, under these or other names; at"
                + " most 4096 may"),
        arguments(
            NodeLedger.unknown(NODE),
            wants("new", 1),
            "inventoryAbsent",
            "no plugin has published GPUs of this node"),
        arguments(
            unreadable(),
            wants("new", 1),
            "unreadableHandle",
            "team-a/old has unknown GPUs of this node: handle format 7 is newer than 2"));
  }

  static Stream<Arguments> names() {
    return Stream.of(
        arguments(
            ledger(with(EIGHT, prepared(new ClaimUid("before"), ref("new"), NODE, 7))),
            wants("new", 1),
            "stillPrepared",
            "still prepared on worker-1 (kubelet knows claims by name)"),
        arguments(
            ledger(with(EIGHT, prepared("new", NODE, 7))),
            wants("new", 1),
            "stillPrepared",
            "still prepared on worker-1 (kubelet knows claims by name)"),
        arguments(
            ledger(
                with(EIGHT, prepared(new ClaimUid("x"), new ClaimRef("wteam-a", "ne"), NODE, 7))),
            wants("new", 1),
            "stillPrepared",
            "still prepared on worker-1 (kubelet knows claims by name)"),
        arguments(
            empty().committed(new ClaimRef("wteam-a", "ne"), grant("other", NODE, 0), OWNER),
            wants("new", 1),
            "nameHeld",
            "a claim of another namespace is allocated on worker-1 under the same name"
                + " (kubelet joins name and namespace)"),
        arguments(
            empty().committed(ref("new"), grant("before", NODE, 0), OWNER),
            wants("new", 1),
            "nameHeld",
            "another claim known as team-a/new is allocated on worker-1"
                + " (kubelet knows claims by name)"));
  }

  @ParameterizedTest
  @MethodSource({
    "shortages",
    "mixedShortages",
    "lastingShortages",
    "obstacles",
    "names",
    "claimsOfOthers"
  })
  void saysWhyTheNodeCannotServeTheClaim(
      NodeLedger ledger, ClaimRequest claim, String label, String text) {
    UnsuitableReason reason =
        Samples.reason(PodPlacer.place(ledger, pod(claim), new SearchBudget()), "new");

    assertThat(reason.text(READER)).isEqualTo(text);
    assertThat(reason.kind().label()).isEqualTo(label);
    assertThat(reason.kind().phrase())
        .isNotBlank()
        .doesNotContain(NODE)
        .doesNotContainPattern("\\d");
  }

  @Test
  void theSameReasonNamesClaimsToTheirOwnNamespaceOnly() {
    UnsuitableReason reason = reason(held(empty(), "train", 0, 1), one(FIRST_TWO));

    assertThat(reason.text(READER)).endsWith("both granted to team-a/train");
    assertThat(reason.text(new NamespaceAudience("team-b")))
        .endsWith("both granted to a claim of another namespace");
  }

  @Test
  void claimsThatFitAloneButNotTogetherNameEachOther() {
    assertThat(notTogether().text(READER))
        .isEqualTo("fits alone, but not together with team-a/b of the same pod");
    assertThat(notTogether().kind().label()).isEqualTo("notTogether");
  }

  /** Of the first of two claims that want the same GPU. */
  private static UnsuitableReason notTogether() {
    PodRequest request = pod(wants("a", 1, 0b1, "index 0"), wants("b", 1, 0b1, "index 0"));
    return Samples.reason(PodPlacer.place(empty(), request, new SearchBudget()), "a");
  }

  @Test
  void aClaimThatWouldFitHasNoReasonBesideOneThatDoesNot() {
    Placement placement =
        PodPlacer.place(empty(), pod(wants("a", 9), wants("b", 1)), new SearchBudget());

    assertThat(((Placement.DoesNotFit) placement).reasons()).containsOnlyKeys(uid("a"));
  }

  @Test
  void onlyWhatNoReleaseCanCureIsLasting() {
    assertThat(reason(empty(), wants("new", 9)).kind().lasting()).isTrue();
    assertThat(reason(empty(), one(0)).kind().lasting()).isTrue();
    assertThat(reason(crowded(), wants("new", 1)).kind().lasting()).isFalse();
    assertThat(reason(NodeLedger.unknown(NODE), wants("new", 1)).kind().lasting()).isFalse();
  }

  @Test
  void theNearestMissLacksTheFewestDevicesAndNodesOutOfServiceAreFarthest() {
    ImmutableList<UnsuitableReason> fromNearToFar =
        ImmutableList.of(
            reason(empty().committed(ref("new"), grant("x", NODE, 0), OWNER), wants("new", 1)),
            notTogether(),
            reason(held(empty(), "a", 0, 1, 2, 3, 4), wants("new", 4)),
            reason(crowded(), wants("new", 4)),
            reason(empty(), wants("new", 9)),
            reason(ledger(inventory(NODE, 0)), wants("new", 9)),
            reason(NodeLedger.unknown(NODE), wants("new", 9)));

    assertThat(fromNearToFar.stream().map(UnsuitableReason::shortfall).toList())
        .isEqualTo(ImmutableList.of(1, 1, 1, 4, 101, 109, 1000));
  }

  private static UnsuitableReason reason(NodeLedger ledger, ClaimRequest claim) {
    return Samples.reason(PodPlacer.place(ledger, pod(claim), new SearchBudget()), "new");
  }
}
