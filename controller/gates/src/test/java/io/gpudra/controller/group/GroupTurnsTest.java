package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupWorld.HOLD;
import static io.gpudra.controller.group.GroupWorld.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which group keeps nodes, and for how long. */
final class GroupTurnsTest {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration NEXT = ControllerDelays.GROUP_PLAN_GAP;

  /** Of two nodes with two GPUs. */
  private static final WaitingGroup GROUP = WaitingGroup.of("g", 2, 2);

  private static final WaitingGroup OTHER = GROUP.in("team-b").since(SOON);
  private static final WaitingGroup TOO_LARGE = WaitingGroup.of("large", 3, 2);

  private final GroupWorld world = busy(new GroupWorld());

  private static GroupWorld busy(GroupWorld world) {
    return world.node("a", 2).node("b", 2).singles("s0", "s1", "s2", "s3");
  }

  private void assertKept(String namespace) {
    assertThat(world.turns.kept()).map(GroupTurns.Kept::namespace).hasValue(namespace);
  }

  private void assertNothingIsKept() {
    assertThat(world.turns.kept()).isEmpty();
    world.release("s0");
    assertThat(world.single("next", 1)).isTrue();
  }

  @Test
  void aGroupKeepsNodesAfterItsPatience() {
    assertThat(world.placeAfter(PATIENCE.minus(SOON), GROUP)).isEqualTo(new GroupPlacing.TooFew(0));
    assertThat(world.turns.kept()).isEmpty();
    assertThat(world.turns.again(GROUP.work())).hasValue(SOON);

    world.placeAfter(SOON, GROUP);
    assertThat(world.turns.kept()).hasValue(new GroupTurns.Kept("team-a", 2));
  }

  @Test
  void theAgeIsThatOfItsPodsWhoeverLeads() {
    world.pass(PATIENCE);
    world.lead();
    world.place(GROUP);

    assertKept("team-a");
  }

  @Test
  void aGroupThatFitsKeepsNothing() {
    world.release("s0", "s1", "s2", "s3");

    assertThat(world.placeAfter(PATIENCE, GROUP)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(world.turns.kept()).isEmpty();
    assertThat(world.turns.size()).isZero();
  }

  @Test
  void aGroupThatDoesNotFitTheEmptyClusterKeepsNothing() {
    world.placeAfter(PATIENCE, TOO_LARGE);

    assertNothingIsKept();
  }

  @Test
  void oneGroupAtATimeKeepsNodes() {
    world.placeAfter(PATIENCE.plus(SOON), GROUP);
    world.placeAfter(NEXT, OTHER);

    assertKept("team-a");
    assertThat(world.turns.again(OTHER.work())).isEmpty();
  }

  @Test
  void theFirstByRankIsTheFirst() {
    world.place(OTHER);
    world.placeAfter(PATIENCE.plus(SOON), GROUP);

    assertKept("team-a");
  }

  @Test
  void whenTheTimeIsOverTheNextIsWoken() {
    world.placeAfter(PATIENCE.plus(SOON), GROUP);
    world.placeAfter(NEXT, OTHER);
    assertThat(world.turns.again(GROUP.work())).hasValue(ControllerDelays.WITHOUT_EVENT);
    world.pass(HOLD.minus(NEXT).minus(SOON));
    assertThat(world.turns.again(GROUP.work())).hasValue(SOON);

    world.placeAfter(SOON, GROUP);
    assertThat(world.woken).containsExactly("group/g");
    world.place(OTHER);
    assertKept("team-b");
  }

  @Test
  void theTimeIsOverEvenIfTheGroupIsNotSeenAgain() {
    world.placeAfter(PATIENCE, GROUP);
    world.release("s0");
    assertThat(world.single("next", 1)).isFalse();

    world.pass(HOLD);
    assertThat(world.turns.kept()).isEmpty();
    assertThat(world.single("next", 1)).isTrue();
  }

  @Test
  void aGroupThatComesBackHasTheRestOfItsTime() {
    for (int divisor : new int[] {2, 4}) {
      world.placeAfter(HOLD, GROUP);
      assertKept("team-a");
      world.pass(HOLD.dividedBy(divisor));
      world.leave(GROUP);
    }
    world.placeAfter(HOLD, GROUP);
    assertKept("team-a");
    world.placeAfter(HOLD.dividedBy(4), GROUP);
    assertNothingIsKept();
  }

  @Test
  void aNamespaceLeavesOthersAsMuchTimeAsItHad() {
    world.placeAfter(PATIENCE, GROUP);
    world.pass(HOLD);
    WaitingGroup anew = GROUP.since(world.now());
    world.place(anew);
    world.placeAfter(HOLD.minus(SOON), anew);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(SOON, anew);
    assertKept("team-a");
  }

  @Test
  void theGroupThatGotItsDevicesLeavesTheTurnToTheNextOfItsNamespace() {
    WaitingGroup later = new WaitingGroup("team-a", "h", 2, 2, 0, SOON);
    world.placeAfter(PATIENCE.plus(SOON), GROUP);
    world.placeAfter(NEXT, later);
    world.release("s0", "s1", "s2", "s3");
    assertThat(world.place(GROUP)).isInstanceOf(GroupPlacing.Placed.class);

    world.place(later);
    assertKept("team-a");
  }

  @Test
  void aGroupThatLostItsDevicesHasTheRestOfItsTime() {
    world.placeAfter(PATIENCE, GROUP);
    world.pass(HOLD.minus(NEXT));
    world.release("s0", "s1", "s2", "s3");
    assertThat(world.place(GROUP)).isInstanceOf(GroupPlacing.Placed.class);
    world.end(GROUP);
    world.singles("s0", "s1", "s2", "s3");
    world.placeAfter(NEXT, GROUP);
    assertKept("team-a");

    world.pass(NEXT);
    assertThat(world.turns.kept()).isEmpty();
  }

  @Test
  void membersMadeAnewAreNew() {
    world.placeAfter(PATIENCE, GROUP);
    world.place(GROUP.since(PATIENCE));

    assertNothingIsKept();
  }

  @Test
  void aGroupThatLeavesKeepsNothing() {
    world.placeAfter(PATIENCE, GROUP);
    world.leave(GROUP);

    assertNothingIsKept();
    assertThat(world.turns.size()).isZero();
  }

  @Test
  void aGroupThatFailsLeavesItsTurnToTheNext() {
    world.place(OTHER);
    world.placeAfter(PATIENCE.plus(SOON), TOO_LARGE);
    assertThat(world.woken).containsExactly("group/g");
    assertThat(world.turns.again(OTHER.work())).hasValue(NEXT);
    world.place(OTHER);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(NEXT, OTHER);
    assertKept("team-b");
  }

  @Test
  void aGroupThatFailedIsNotAskedAgainAtOnce() {
    world.placeAfter(PATIENCE, TOO_LARGE);
    world.node("c", 2).singles("s4", "s5");
    world.placeAfter(ControllerDelays.GROUP_REPLAN.minus(SOON), TOO_LARGE);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(SOON, TOO_LARGE);
    assertKept("team-a");
  }

  @Test
  void aNamespaceWithManyGroupsHasOneTurnAtATime() {
    for (int i = 0; i < 10; i++) {
      world.place(new WaitingGroup("crowd", "x" + i, 3, 2, 0, Duration.ZERO));
    }
    world.place(OTHER);
    world.placeAfter(PATIENCE.plus(SOON), new WaitingGroup("crowd", "x0", 3, 2, 0, Duration.ZERO));

    world.placeAfter(NEXT, OTHER);
    assertKept("team-b");
  }

  @Test
  void aGroupThatDoesNotAnswerLeavesItsTurn() {
    world.place(GROUP);
    world.placeAfter(PATIENCE.plus(SOON), OTHER);
    assertThat(world.woken).containsExactly("group/g");
    world.placeAfter(ControllerDelays.GROUP_PLAN.minus(SOON), OTHER);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(SOON, OTHER);
    assertKept("team-b");
  }

  @Test
  void aNodeThatIsLostIsReplacedWithinTheSameTime() {
    world.node("c", 2).singles("s4", "s5");
    world.place(OTHER);
    world.placeAfter(PATIENCE, GROUP);
    Instant until = world.notice(GROUP).orElseThrow().until();
    world.cordon("a");
    world.placeAfter(SOON, GROUP);
    assertThat(world.turns.again(GROUP.work())).hasValue(NEXT.minus(SOON));
    world.placeAfter(NEXT.minus(SOON), GROUP);
    assertThat(world.notice(GROUP)).hasValue(new KeptNodesNotice(until, "b, c"));

    world.release("s4");
    assertThat(world.single("next", 1)).isFalse();
    world.pass(HOLD.minus(NEXT));
    assertThat(world.turns.kept()).isEmpty();
    world.place(OTHER);
    assertKept("team-b");
  }

  @Test
  void aNodeThatComesAndGoesCostsFewPlans() {
    world.node("c", 2).singles("s4", "s5");
    world.placeAfter(PATIENCE, GROUP);
    List<ImmutableSet<String>> plans = new ArrayList<>();
    plans.add(world.turns.keptFrom(OTHER.waiter()));
    String[] names = {"a", "b", "c"};
    for (int i = 0; i < 10; i++) {
      world.node(names[(i + 2) % 3], 2);
      world.cordon(names[i % 3]);
      world.placeAfter(SOON, GROUP);
      ImmutableSet<String> plan = world.turns.keptFrom(OTHER.waiter());
      if (!plan.equals(plans.get(plans.size() - 1))) {
        plans.add(plan);
      }
    }

    assertThat(plans).hasSizeBetween(2, 3);
  }

  @Test
  void devicesThatAreStillPreparedAreOnTheirWayToTheGroup() {
    world.placeAfter(PATIENCE, GROUP);
    PreparedClaim last =
        GrantFixture.preparedWhole(
            GroupFixture.claim("s0", 1).uid(), GroupFixture.claim("s0", 1).ref(), "GPU-a-0");
    world.ledgers.observe(
        NodeFixture.like(world.ledgers.ledger("a").inventory()).prepared(last).inventory());
    world.release("s0", "s1", "s2", "s3");

    world.placeAfter(NEXT, GROUP);
    assertThat(world.placeAfter(ControllerDelays.GROUP_ABSENCE, GROUP))
        .isInstanceOf(GroupPlacing.TooFew.class);
    assertKept("team-a");
    world.node("a", 2);
    assertThat(world.placeAfter(SOON, GROUP)).isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void aGroupWithoutAPlanKeepsNothing() {
    world.placeAfter(PATIENCE, GROUP);
    world.ledgers.nodeGone("a");
    world.placeAfter(NEXT, GROUP);
    world.placeAfter(ControllerDelays.GROUP_ABSENCE, GROUP);

    assertThat(world.turns.kept()).isEmpty();
  }

  @Test
  void moreMembersNeedAnotherPlan() {
    world.node("c", 2).singles("s4", "s5");
    world.placeAfter(PATIENCE, GROUP);
    world.placeAfter(NEXT, GROUP.members(3));

    assertThat(world.turns.kept()).map(GroupTurns.Kept::nodes).hasValue(3);
  }

  @Test
  void theNodesWithTheMostFreeAreKept() {
    GroupWorld other = new GroupWorld().node("a", 2).strangers("t0", "t1");
    other.node("b", 2).strangers("t2", "t3").node("c", 2).strangers("t4", "t5");
    other.release("t2", "t4");
    other.placeAfter(PATIENCE, GROUP);

    assertThat(other.turns.keptFrom(OTHER.waiter())).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void nodesOnWhichItsOwnPodsLeaveNoRoomAreNotKept() {
    GroupWorld other = new GroupWorld().node("a", 2).singles("own").strangers("t0");
    other.node("b", 2).node("c", 2).strangers("t1", "t2", "t3", "t4");
    other.pass(PATIENCE);
    other.placeBeside(GROUP, "own");
    assertThat(other.turns.keptFrom(OTHER.waiter())).containsExactlyInAnyOrder("b", "c");

    other.pass(NEXT);
    other.placeBeside(GROUP.members(3), "own");
    other.pass(ControllerDelays.GROUP_ABSENCE);
    other.placeBeside(GROUP.members(3), "own");
    assertThat(other.turns.kept()).as("there are no others").isEmpty();
  }

  @Test
  void moreOfItsPodsThatRunNeedAnotherPlan() {
    world.node("c", 2).singles("s4", "s5");
    world.placeAfter(PATIENCE, GROUP);
    assertThat(world.turns.keptFrom(OTHER.waiter())).containsExactlyInAnyOrder("a", "b");
    world.pass(NEXT);
    world.placeBeside(GROUP, "s0");

    assertThat(world.turns.keptFrom(OTHER.waiter())).containsExactlyInAnyOrder("b", "c");
  }

  /** A quota of GPUs that no pod of a group may exceed together. */
  private static final class Quota implements CommitGuard {
    boolean reached;

    @Override
    public Before before(PodRequest request) {
      return reached && request.claims().size() > 1
          ? new Before.Limited(
              new Limit(StatedReason.of(Kind.QUOTA_EXCEEDED), ImmutableSet.of("quota")))
          : new Before.GoOn(request);
    }

    @Override
    public Optional<Limit> ask(ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
      return Optional.empty();
    }

    @Override
    public void changed(NodeLedger before, NodeLedger after) {}
  }

  @Test
  void aGroupBeyondItsQuotaKeepsNothing() {
    Quota quota = new Quota();
    GroupWorld limited = busy(new GroupWorld(quota));
    limited.placeAfter(PATIENCE, GROUP);
    assertThat(limited.turns.kept()).isPresent();

    quota.reached = true;
    limited.placeAfter(SOON, GROUP);
    assertThat(limited.turns.kept()).isEmpty();
    limited.placeAfter(ControllerDelays.GROUP_REPLAN, GROUP);
    assertThat(limited.turns.kept()).isEmpty();
  }
}
