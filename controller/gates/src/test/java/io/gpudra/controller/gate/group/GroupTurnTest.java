package io.gpudra.controller.gate.group;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the placer is told of groups, so that it keeps nodes for those that wait. */
final class GroupTurnTest {
  private static final String GROUP = "group/g";
  private static final Duration SOON = Duration.ofSeconds(3);
  private static final GroupPlacing.Limited LIMITED =
      new GroupPlacing.Limited(
          StatedReason.of(UnsuitableReason.Kind.QUOTA_EXCEEDED, "no more than %d", 1),
          ImmutableSet.of("quota"));

  private final GateWorld gate = GateWorld.of("n1", 2);

  @BeforeEach
  void aGroupWaits() {
    gate.placer.answer = Optional.of(new GroupPlacing.TooFew(1));
    gate.claims(claim("of-a"), claim("of-b"));
    gate.put(pod("a", "of-a").inGroup("g")).put(pod("b", "of-b").inGroup("g")).run();
  }

  @Test
  void aGroupThatDoesNotFitWaits() {
    assertThat(gate.placer.searches).hasSize(1);
    assertThat(gate.placer.left).isEmpty();
  }

  @Test
  void itIsPlacedAgainWhenThePlacerSays() {
    gate.placer.again = Optional.of(SOON);
    gate.pass(ControllerDelays.POLL.multipliedBy(2));
    int before = gate.placer.searches.size();
    gate.pass(SOON.multipliedBy(2));

    assertThat(gate.placer.searches).hasSizeGreaterThan(before);
  }

  @Test
  void membersAreToldOfNodesThatAreKept() {
    KeptNodesNotice notice = new KeptNodesNotice(Some.EPOCH, "n1, n2");
    gate.placer.kept = Optional.of(notice);
    gate.pass(ControllerDelays.POLL.multipliedBy(2));

    assertThat(notices()).isNotEmpty().containsOnly(notice.text());
  }

  private List<String> notices() {
    return gate.world.cluster.warnings.stream()
        .filter(event -> event.reason().equals("NodesKept"))
        .map(Warning::message)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"waiting", "limited", "incomplete"})
  void membersAreToldOnceThatNodesAreKeptNoLonger(String change) {
    gate.placer.kept = Optional.of(new KeptNodesNotice(Some.EPOCH, "n1"));
    gate.pass(ControllerDelays.POLL.multipliedBy(2));
    gate.placer.kept = Optional.empty();
    switch (change) {
      case "limited" -> gate.placer.answer = Optional.of(LIMITED);
      case "incomplete" -> gate.pods.remove("b");
      default -> {}
    }
    gate.pass(ControllerDelays.POLL.multipliedBy(4));

    assertThat(notices()).endsWith(KeptNodesNotice.ENDED);
    assertThat(notices()).filteredOn(KeptNodesNotice.ENDED::equals).hasSizeBetween(1, 2);
  }

  @Test
  void membersThatStartAreToldNothing() {
    gate.placer.kept = Optional.of(new KeptNodesNotice(Some.EPOCH, "n1"));
    gate.pass(ControllerDelays.POLL.multipliedBy(2));
    gate.placer.kept = Optional.empty();
    gate.placer.answer = Optional.empty();
    gate.pass(ControllerDelays.POLL.multipliedBy(2));

    assertThat(notices()).doesNotContain(KeptNodesNotice.ENDED);
  }

  @Test
  void aGroupThatLostAMemberLeaves() {
    gate.pods.remove("b");
    gate.pass(ControllerDelays.GROUP_LOOK);

    assertThat(gate.placer.left).contains(GROUP);
  }

  @Test
  void aGroupOfWhichTheMembersAreNotKnownForAMomentWaitsOn() {
    gate.pods.remove("b");
    gate.run();

    assertThat(gate.placer.left).isEmpty();
  }

  @Test
  void theClaimsOfMembersThatRunStay() {
    assertThat(gate.placer.staying).isEmpty();
    gate.pods.remove("b");
    gate.pods.bound(World.podRef("b"), Phase.ALIVE, Some.ref("of-b"));
    gate.pass(ControllerDelays.GROUP_LOOK);

    assertThat(gate.placer.staying).containsExactly(Some.ref("of-b"));
  }

  @Test
  void aGroupThatIsInvalidLeaves() {
    gate.put(pod("b", "of-b").inGroup("g", "3")).run();

    assertThat(gate.placer.left).contains(GROUP);
  }

  @Test
  void aGroupThatLetsAnOlderPodPassDoesNotLeave() {
    WaitQueue waitQueue = gate.world.requeuer.waitQueue();
    WorkKey older = WorkKey.context(new ObjectKey(Some.NS, "older"));
    gate.world.elapse(ControllerDelays.REGROUP);
    waitQueue
        .enter(new Waiter(new WaitRank(0, Instant.EPOCH), "older", older))
        .limited(ImmutableSet.of("quota"), 1);
    gate.world.requeuer.limitsEased(Some.NS);
    gate.gateLoop.runNow(new ObjectKey(Some.NS, GROUP));

    assertThat(waitQueue.limited(Some.NS)).as("the group waits, too").hasSize(3);
    assertThat(gate.placer.left).isEmpty();
  }

  @Test
  void aGroupThatStartedLeaves() {
    gate.placer.answer = Optional.empty();
    gate.pass(ControllerDelays.POLL.multipliedBy(2));

    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.placer.left).contains(GROUP);
  }
}
