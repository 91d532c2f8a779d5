package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupWorld.HOLD;
import static io.gpudra.controller.group.GroupWorld.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The time of a pass, and that for which nodes are kept for a group that does not get them. */
final class GroupTimeTest {
  private static final int NODES = 40;
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PLAN_GAP = ControllerDelays.GROUP_PLAN_GAP;
  private static final Duration ABSENCE = ControllerDelays.GROUP_ABSENCE;

  /** Of two nodes with two GPUs. */
  private static final WaitingGroup GROUP = WaitingGroup.of("g", 2, 2);

  private final GroupWorld world = new GroupWorld();

  @BeforeEach
  void bothNodesAreFull() {
    world.node("a", 2).node("b", 2).singles("s0", "s1", "s2", "s3");
  }

  @Test
  void aGroupHasItsTimeAnewAfterTheRestOfItsNamespace() {
    world.placeAfter(PATIENCE, GROUP);
    world.placeAfter(HOLD, GROUP);
    world.placeAfter(HOLD.minus(SOON), GROUP);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(SOON, GROUP);
    assertThat(world.turns.kept()).isPresent();
    world.pass(HOLD.minus(SOON));
    assertThat(world.turns.kept()).isPresent();
  }

  @Test
  void aGroupRunsAlthoughPodsBeforeItRunLongerThanItsTime() {
    world.placeAfter(PATIENCE, GROUP);
    world.placeAfter(HOLD, GROUP);
    world.placeAfter(HOLD, GROUP);
    for (String claim : List.of("s0", "s1", "s2")) {
      world.release(claim);
      assertThat(world.single("next", 1)).isFalse();
      assertThat(world.placeAfter(SOON, GROUP)).isInstanceOf(GroupPlacing.TooFew.class);
    }

    world.release("s3");
    assertThat(world.placeAfter(SOON, GROUP)).isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void theRestBeginsWhenTheTimeIsOverAlthoughItIsSeenLate() {
    world.placeAfter(PATIENCE, GROUP);
    world.placeAfter(HOLD.plus(SOON), GROUP);
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(HOLD.minus(SOON), GROUP);
    assertThat(world.turns.kept()).isPresent();
  }

  @Test
  void aGroupThatIsPlacedAfterItsTimeHasItAnew() {
    world.placeAfter(PATIENCE, GROUP);
    world.pass(HOLD);
    world.release("s0", "s1", "s2", "s3");
    assertThat(world.place(GROUP)).isInstanceOf(GroupPlacing.Placed.class);
    world.end(GROUP);
    world.singles("s0", "s1", "s2", "s3");

    world.placeAfter(HOLD, GROUP);
    assertThat(world.turns.kept()).isPresent();
  }

  /** The node of the plan is lost, and the group is seen at the usual pace. */
  private void absent(Duration time) {
    world.cordon("a");
    for (Duration t = Duration.ZERO; t.compareTo(time) < 0; t = t.plus(PLAN_GAP)) {
      world.placeAfter(PLAN_GAP, GROUP);
    }
  }

  @Test
  void aNodeThatIsAbsentForAMomentStaysKept() {
    world.placeAfter(PATIENCE, GROUP);
    absent(ABSENCE);
    world.release("s2");
    assertThat(world.single("next", 1)).as("on the other node").isFalse();

    world.node("a", 2).release("s0", "s1", "s3");
    assertThat(world.placeAfter(SOON, GROUP)).isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void aNodeThatIsAbsentForLongEndsTheTurn() {
    world.placeAfter(PATIENCE, GROUP);
    absent(ABSENCE.plus(PLAN_GAP));

    assertThat(world.turns.kept()).isEmpty();
  }

  @Test
  void eachAbsenceCountsByItself() {
    world.placeAfter(PATIENCE, GROUP);
    for (int i = 0; i < 3; i++) {
      absent(ABSENCE);
      world.node("a", 2);
      world.placeAfter(SOON, GROUP);
      assertThat(world.turns.kept()).isPresent();
    }
  }

  @Test
  void anAbsenceDoesNotProlongTheTime() {
    world.placeAfter(PATIENCE, GROUP);
    world.placeAfter(HOLD.minus(ABSENCE), GROUP);
    absent(ABSENCE.minus(PLAN_GAP));
    world.node("a", 2).placeAfter(SOON, GROUP);
    assertThat(world.turns.kept()).isPresent();

    world.pass(PLAN_GAP.minus(SOON));
    assertThat(world.turns.kept()).isEmpty();
  }

  private static GroupWorld nodes() {
    GroupWorld nodes = new GroupWorld();
    IntStream.range(0, NODES).forEach(i -> nodes.node("n" + i, 1));
    return nodes;
  }

  @Test
  void aPassEndsAfterTenSeconds() {
    GroupWorld slow = nodes();
    slow.step = SOON;

    assertThat(slow.place(WaitingGroup.of("g", NODES, 1)))
        .isInstanceOf(GroupPlacing.Undecided.class);
    assertThat(slow.ledgers.snapshot()).allMatch(ledger -> ledger.holds().isEmpty());
  }

  @Test
  void nodesForWhichThereWasNoTimeAreSearchedInTheNextPass() {
    GroupWorld slow = nodes();
    slow.step = SOON;
    assertThat(slow.place(WaitingGroup.of("g", NODES, 1)))
        .isInstanceOf(GroupPlacing.Undecided.class);

    slow.step = Duration.ZERO;
    assertThat(slow.place(WaitingGroup.of("g", NODES, 1))).isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void aPlanEndsAfterTenSeconds() {
    world.pass(PATIENCE);
    world.step = Duration.ofSeconds(4);
    assertThat(world.place(GROUP)).isNotInstanceOf(GroupPlacing.Placed.class);
    world.step = Duration.ZERO;
    assertThat(world.turns.kept()).isEmpty();

    world.placeAfter(ControllerDelays.GROUP_REPLAN, GROUP);
    assertThat(world.turns.kept()).isPresent();
  }

  @Test
  void aGroupWhoseSearchTookAllItsTimeStillKeepsNodes() {
    world.pass(PATIENCE);
    world.placeWithin(ControllerDelays.GROUP_PASS, GROUP);

    assertThat(world.turns.kept()).isPresent();
  }

  @Test
  void aGroupWhoseSearchTakesLongHasItsTurnBesideOthers() {
    WaitingGroup other = WaitingGroup.of("h", 2, 2).in("team-b");
    world.place(GROUP);
    world.placeAfter(PATIENCE, other);
    assertThat(world.woken).containsExactly("group/g");

    world.placeWithin(ControllerDelays.GROUP_PASS, GROUP);
    assertThat(world.notice(GROUP)).isPresent();
  }

  @Test
  void aPlanForWhichThereIsNoTimeGoesOnInTheNext() {
    GroupWorld slow = nodes();
    IntStream.range(0, NODES).forEach(i -> slow.singles("s" + i));
    slow.pass(PATIENCE);
    slow.step = ControllerDelays.GROUP_PASS.dividedBy(NODES);
    WaitingGroup all = WaitingGroup.of("g", NODES, 1);
    slow.place(all);
    assertThat(slow.turns.kept()).isEmpty();

    for (int i = 0; i < 5; i++) {
      slow.placeAfter(ControllerDelays.GROUP_REPLAN, all);
    }
    assertThat(slow.turns.kept()).isPresent();
  }
}
