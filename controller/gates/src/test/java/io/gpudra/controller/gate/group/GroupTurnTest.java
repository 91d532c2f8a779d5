package io.gpudra.controller.gate.group;

import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the placer is told of groups, so that it keeps nodes for those that wait. */
final class GroupTurnTest {
  private static final String GROUP = "group/g";
  private static final Duration SOON = Duration.ofSeconds(3);

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
  void aGroupThatIsInvalidLeaves() {
    gate.put(pod("b", "of-b").inGroup("g", "3")).run();

    assertThat(gate.placer.left).contains(GROUP);
  }

  @Test
  void aGroupThatStartedLeaves() {
    gate.placer.answer = Optional.empty();
    gate.pass(ControllerDelays.POLL.multipliedBy(2));

    assertThat(gate.pods.isGated("a")).isFalse();
    assertThat(gate.placer.left).contains(GROUP);
  }
}
