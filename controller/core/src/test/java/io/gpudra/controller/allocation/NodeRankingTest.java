package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.READER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.gpu;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.model;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.gpudra.crds.model.node.NodeToleration;
import io.gpudra.crds.testing.NodeFixture;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which node an Immediate claim gets. */
class NodeRankingTest {

  private final Ledgers ledgers = new Ledgers();

  private CommitResult commit(ClaimRequest claim) {
    return ledgers.commitBest(pod(claim), OWNER, STAMP);
  }

  private static String node(CommitResult commitResult) {
    return ((CommitResult.Committed) commitResult).node();
  }

  private static ClaimRequest wantsOne(String claim, AllocationPolicy policy) {
    return request(claim, 1, Among.EVERY, policy);
  }

  @Test
  void packTakesTheFullestNodeThatHasRoomAndSpreadTheEmptiest() {
    List.of("n0", "n1", "n2", "n3").forEach(node -> ledgers.observe(inventory(node, 2)));
    Samples.hold(ledgers, "half", "n1", 0);
    Samples.hold(ledgers, "full", "n2", 0, 1);

    assertThat(node(commit(wantsOne("packed", AllocationPolicy.PACK)))).isEqualTo("n1");
    assertThat(node(commit(wantsOne("spread", AllocationPolicy.SPREAD)))).isEqualTo("n0");
  }

  @Test
  void theSmallestGpusThatWillDoComeFirst() {
    ledgers.observe(inventory("large", ImmutableList.of(gpu("large", 0, model("H100", 80)))));
    ledgers.observe(inventory("small", ImmutableList.of(gpu("small", 0, model("T4", 16)))));

    assertThat(node(commit(wants("a", 1)))).isEqualTo("small");
  }

  @Test
  void whatANodeHasBesideWhatItWouldGiveDoesNotCount() {
    ledgers.observe(
        inventory(
            "mixed",
            ImmutableList.of(
                gpu("mixed", 0, model("T4", 16)), gpu("mixed", 1, model("H100", 80)))));
    ledgers.observe(inventory("equal", 2));

    assertThat(node(commit(wants("a", 1)))).isEqualTo("mixed");
  }

  @Test
  void equalNodesGoByNameInWhateverOrderTheyAreConsidered() {
    PodRequest request = pod(wants("a", 1));
    NodeRanking ranking = new NodeRanking(request);
    for (String node : List.of("n1", "n0", "n2")) {
      NodeLedger ledger = NodeLedger.of(inventory(node, 1));
      ranking.consider(ledger, PodPlacer.place(ledger, request, new SearchBudget()));
    }

    assertThat(ranking.best().orElseThrow().seen().node()).isEqualTo("n0");
  }

  @Test
  void aNodeThatIsClosedIsNotTakenBySeveralClaimsEither() {
    ledgers.observe(with(inventory("x", 2), state("cordoned", true, true, "")));
    CommitResult refused = ledgers.commitBest(pod(wants("a", 1), wants("b", 1)), OWNER, STAMP);

    assertThat(((CommitResult.Refused) refused).reasons()).containsOnlyKeys("cordoned");
    assertThat(reason(refused, "cordoned", "b").kind().label()).isEqualTo("nodeCordoned");
  }

  @Test
  void committingAgainStaysOnTheNode() {
    ledgers.observe(inventory("n1", 1));
    CommitResult first = commit(wants("a", 1));
    ledgers.observe(inventory("n0", 1));

    assertThat(commit(wants("a", 1))).isEqualTo(first);
  }

  @Test
  void everyNodeThatCannotBeChosenSaysWhy() {
    Inventory one = inventory("x", 1);
    ledgers.observe(with(one, state("down", false, false, "")));
    ledgers.observe(with(one, state("cordoned", true, true, "")));
    ledgers.observe(with(one, state("tainted", true, false, "maintenance")));
    ledgers.observe(with(one, state("foreign", true, false, "")));
    ledgers.observe(with(one, NodeFixture.crowded("crowded")));
    ledgers.observe(with(one, admitted("silent")).with(new Inventory.Service.NotReady("Stopped")));
    CommitResult refused = commit(admittedOn("silent", "down", "cordoned", "tainted"));

    assertThat(reason(refused, "down", "a").kind().label()).isEqualTo("nodeNotReady");
    assertThat(reason(refused, "cordoned", "a").kind().label()).isEqualTo("nodeCordoned");
    assertThat(reason(refused, "tainted", "a").text(READER)).isEqualTo("node tainted maintenance");
    assertThat(reason(refused, "foreign", "a").text(READER))
        .isEqualTo("not among the suitableNodes of the claim's class");
    assertThat(reason(refused, "crowded", "a").text(READER))
        .isEqualTo("node cannot be evaluated: it has too many labels and taints");
    assertThat(reason(refused, "silent", "a").kind().label()).isEqualTo("pluginNotReady");
  }

  @Test
  void nodesForWhichNoHandleIsLargeEnoughAreEachAskedOnce() {
    for (int node = 0; node < 9; node++) {
      ledgers.observe(inventory("x".repeat(300) + node, 64));
    }
    AtomicInteger judgements = new AtomicInteger();
    CountedCondition counted =
        new CountedCondition(0, /* differsBetweenNodes= */ false, judgements);

    CommitResult refused = commit(request("a", 64, counted, AllocationPolicy.PACK));

    assertThat(((CommitResult.Refused) refused).reasons()).hasSize(9);
    assertThat(reason(refused, "x".repeat(300) + 8, "a").kind().label())
        .isEqualTo("handleTooLarge");
    assertThat(judgements).hasValue(2 * 9);
  }

  private CommitResult commit(NodeDemand demand, ClaimRequest... claims) {
    return ledgers.commitBest(pod(claims).fitting(demand), OWNER, STAMP);
  }

  private static NodeDemand demand(
      Optional<NodeSelector> required, ImmutableMap<String, Long> size, String... tolerated) {
    return new NodeDemand(
        required,
        Stream.of(tolerated)
            .map(key -> new NodeToleration(key, Optional.empty(), Optional.empty()))
            .collect(ImmutableList.toImmutableList()),
        size);
  }

  @Test
  void aPodGetsANodeThatItSelectsToleratesAndFitsOn() {
    Inventory one = inventory("x", 1);
    ImmutableMap<String, Long> size = ImmutableMap.of("cpu", 4_000L);
    ledgers.observe(with(one, sized("other", 8_000, ImmutableSet.of())));
    ledgers.observe(with(one, sized("small", 2_000, ImmutableSet.of())));
    ledgers.observe(with(one, sized("tainted", 8_000, ImmutableSet.of(taint("b")))));
    ledgers.observe(with(one, state("cordoned", true, true, "")));
    NodeDemand demand = demand(Optional.of(hosts("small", "tainted", "cordoned")), size, "a");
    CommitResult refused = commit(demand, wants("a", 1));

    assertThat(reason(refused, "other", "a").kind().label()).isEqualTo("nodeNotSelected");
    assertThat(reason(refused, "small", "a").kind().label()).isEqualTo("nodeTooSmall");
    assertThat(reason(refused, "tainted", "a").text(READER)).isEqualTo("node tainted b");
    assertThat(reason(refused, "cordoned", "a").kind().label()).isEqualTo("nodeCordoned");
    ledgers.observe(with(one, sized("small", 4_000, ImmutableSet.of(taint("a")))));
    assertThat(node(commit(demand, wants("a", 1)))).isEqualTo("small");
  }

  @Test
  void aPodWithSeveralClaimsIsHeldToItsDemand() {
    ledgers.observe(with(inventory("x", 2), sized("small", 2_000, ImmutableSet.of())));
    CommitResult refused =
        commit(
            demand(Optional.empty(), ImmutableMap.of("cpu", 4_000L)), wants("a", 1), wants("b", 1));

    assertThat(reason(refused, "small", "b").kind().label()).isEqualTo("nodeTooSmall");
  }

  @Test
  void aNodeIsComparedOnceWithADemandHoweverManyClaimsThePodHas() {
    ledgers.observe(inventory("n0", 4));
    NodeDemand demand = spy(NodeDemand.NONE);

    assertThat(node(commit(demand, wants("a", 1), wants("b", 1), wants("c", 1)))).isEqualTo("n0");
    verify(demand, times(1)).misfit(any());
  }

  @Test
  void demandsOfOnePodAreNotThoseOfAnother() {
    ledgers.observe(with(inventory("x", 1), sized("small", 2_000, ImmutableSet.of())));
    NodeDemand large = demand(Optional.empty(), ImmutableMap.of("cpu", 4_000L));
    NodeDemand little = demand(Optional.empty(), ImmutableMap.of("cpu", 1_000L));

    assertThat(commit(large, wants("a", 1))).isInstanceOf(CommitResult.NoNode.class);
    assertThat(node(commit(little, wants("b", 1)))).isEqualTo("small");
  }

  @Test
  void onlyTheNodesThatAreNamedAreTakenButThoseLeftOut() {
    List.of("n0", "n1", "n2").forEach(node -> ledgers.observe(inventory(node, 2)));
    Optional<ImmutableSet<String>> named = Optional.of(ImmutableSet.of("n0", "n1"));

    for (PodRequest request : List.of(pod(wants("a", 1)), pod(wants("b", 1), wants("c", 1)))) {
      assertThat(
              node(
                  ledgers.commitBestBut(() -> ImmutableSet.of("n0"), named, request, OWNER, STAMP)))
          .isEqualTo("n1");
      request.claims().forEach(claim -> ledgers.release(claim.uid(), OWNER));
    }
  }

  private static NodeTaint taint(String key) {
    return new NodeTaint(key, "", Effect.NO_SCHEDULE);
  }

  private static NodeState sized(String name, long cpu, ImmutableSet<NodeTaint> taints) {
    return NodeFixture.ready(
        name, ImmutableMap.of("host", name), taints, ImmutableMap.of("cpu", cpu));
  }

  @Test
  void aNodeTheClassAdmitsIsTaken() {
    Inventory one = inventory("x", 1);
    ledgers.observe(with(one, admitted("n0")));
    ledgers.observe(with(one, admitted("n1")));

    assertThat(node(commit(admittedOn("n1")))).isEqualTo("n1");
  }

  private static NodeState admitted(String name) {
    return state(name, true, false, "");
  }

  private static NodeState state(String name, boolean ready, boolean cordoned, String taint) {
    return new NodeState(
        name,
        ready,
        cordoned,
        taint.isEmpty() ? ImmutableSortedSet.of() : ImmutableSortedSet.of(taint),
        ImmutableMap.of("host", name));
  }

  private static ClaimRequest admittedOn(String... nodes) {
    return new RequestFixture(ref("a"), Samples.plain(1, Among.EVERY))
        .admittedOn(hosts(nodes))
        .build();
  }

  private static NodeSelector hosts(String... nodes) {
    NodeSelector.Requirement host =
        new NodeSelector.Requirement("host", NodeSelector.Operator.IN, ImmutableList.copyOf(nodes));
    return new NodeSelector(
        ImmutableList.of(new NodeSelector.Term(ImmutableList.of(host), ImmutableList.of())));
  }
}
