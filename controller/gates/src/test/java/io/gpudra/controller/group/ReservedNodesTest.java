package io.gpudra.controller.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Devices that are kept for a group. */
final class ReservedNodesTest {
  private static final Duration SOON = Duration.ofSeconds(1);

  /** Two nodes of two GPUs, which the group needs. */
  private static final WaitingGroup GROUP = WaitingGroup.of("g", 2, 2).since(SOON);

  private final GroupWorld world = new GroupWorld();

  private void bothNodesAreKept() {
    world.node("a", 2).node("b", 2).singles("s0", "s1", "s2", "s3");
    world.placeAfter(GroupWorld.PATIENCE.plus(SOON), GROUP);
  }

  /** Four GPUs, of which the group needs two. */
  private void halfANodeIsKept() {
    world.node("a", 4).singles("s0", "s1", "s2", "s3");
    world.placeAfter(GroupWorld.PATIENCE.plus(SOON), WaitingGroup.of("g", 2, 1));
  }

  @Test
  void whatAClaimLeavesIsNotForTheNext() {
    bothNodesAreKept();
    world.release("s0");
    CommitResult refused =
        world.ledgers.commitBest(
            new PodRequest(
                ImmutableList.of(GroupFixture.claim("next", 1)), new WaitRank(0, Instant.MAX)),
            new HoldOwner("next"),
            new GrantAudit(1, Instant.EPOCH));

    assertThat(((CommitResult.Refused) refused).reasons().values())
        .flatExtracting(no -> no.reasons().values())
        .extracting(UnsuitableReason::kind)
        .contains(Kind.NODE_KEPT);
  }

  @Test
  void whoIsRefusedIsToldForWhomAndUntilWhenAsFarAsTheyMayRead() {
    bothNodesAreKept();
    world.release("s0");
    UnsuitableReason why =
        ((CommitResult.Refused)
                world.ledgers.commitBest(
                    new PodRequest(
                        ImmutableList.of(GroupFixture.claim("next", 1)),
                        new WaitRank(0, Instant.MAX)),
                    new HoldOwner("next"),
                    new GrantAudit(1, Instant.EPOCH)))
            .reasons().values().stream()
                .flatMap(no -> no.reasons().values().stream())
                .filter(reason -> reason.kind() == Kind.NODE_KEPT)
                .findFirst()
                .orElseThrow();

    assertThat(why.text(NamespaceAudience.READER_OF_ALL))
        .isEqualTo(
            "its free GPUs are kept until 2026-01-01T00:35:01Z for group team-a/g, which comes"
                + " first");
    assertThat(why.text(new NamespaceAudience("team-a"))).contains(" for group team-a/g,");
    assertThat(why.text(new NamespaceAudience("team-b")))
        .isEqualTo(
            "its free GPUs are kept until 2026-01-01T00:35:01Z for a group of another namespace,"
                + " which comes first");
  }

  @Test
  void theGroupIsToldWhichNodesAreKeptForItAndUntilWhen() {
    bothNodesAreKept();
    String text = "nodes are kept for the group until 2026-01-01T00:35:01Z: a, b";
    assertThat(world.notice(GROUP)).map(KeptNodesNotice::text).hasValue(text);
    assertThat(world.notice(WaitingGroup.of("h", 2, 2))).isEmpty();

    world.pass(GroupWorld.HOLD.minus(SOON));
    assertThat(world.notice(GROUP)).map(KeptNodesNotice::text).hasValue(text);
    world.pass(SOON);
    assertThat(world.notice(GROUP)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 3600, true",
    "0, 0, true",
    "0, 1, false",
    "0, 2, false",
    "-1, 0, false",
  })
  void onlyAnEarlierRankPasses(int priority, long since, boolean passes) {
    bothNodesAreKept();
    world.release("s0");

    assertThat(world.single("next", 1, priority, Duration.ofSeconds(since))).isEqualTo(passes);
  }

  @Test
  void theGroupTakesWhatIsKeptForIt() {
    bothNodesAreKept();
    world.release("s0", "s1", "s2");
    assertThat(world.place(GROUP)).isEqualTo(new GroupPlacing.TooFew(1));

    world.release("s3");
    assertThat(world.place(GROUP)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(world.turns.kept()).isEmpty();
  }

  @Test
  void othersTakeWhatTheGroupDoesNotNeed() {
    halfANodeIsKept();
    world.release("s0", "s1", "s2");

    assertThat(Stream.of("t0", "t1", "t2").map(claim -> world.single(claim, 1)))
        .containsExactly(true, true, false);
  }

  @Test
  void whatPodsOfTheGroupHoldIsNoRoomForIt() {
    world.node("a", 4).singles("own", "s0", "s1", "s2");
    world.pass(GroupWorld.PATIENCE.plus(SOON));
    WaitingGroup rest = WaitingGroup.of("g", 3, 1);
    assertThat(world.placeBeside(rest, "own")).isInstanceOf(GroupPlacing.TooFew.class);
    world.release("s0");
    assertThat(world.single("next", 1)).as("it needs all that others leave").isFalse();

    world.release("s1", "s2");
    assertThat(world.placeBeside(rest, "own")).isInstanceOf(GroupPlacing.Placed.class);
  }

  @Test
  void anotherNodeIsForAll() {
    bothNodesAreKept();
    world.node("c", 1);

    assertThat(world.single("next", 1)).isTrue();
  }

  @Test
  void aClaimThatIsGrantedAgainTakesTheRoomOfOthers() {
    halfANodeIsKept();

    assertThat(
            Stream.of("s0", "s1", "s2")
                .map(
                    claim -> {
                      world.pass(SOON);
                      world.release(claim);
                      return world.single(claim, 1);
                    }))
        .containsExactly(true, true, false);
  }

  @Test
  void aGroupThatIsYoungerTakesOtherNodes() {
    bothNodesAreKept();
    world.release("s0", "s1");
    WaitingGroup younger = WaitingGroup.of("h", 2, 1).since(SOON.multipliedBy(2));
    assertThat(world.place(younger)).isInstanceOf(GroupPlacing.TooFew.class);

    world.node("c", 2);
    assertThat(world.place(younger)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(world.ledgers.ledger("c").holds()).hasSize(2);
  }

  @Test
  void manyNodesThatAreKeptHideNoOther() {
    for (int i = 0; i < 16; i++) {
      world.node("a%02d".formatted(i), 2);
    }
    world.node("0", 1);
    for (int i = 0; i < 33; i++) {
      world.singles("s" + i);
    }
    world.placeAfter(GroupWorld.PATIENCE.plus(SOON), WaitingGroup.of("g", 16, 2).since(SOON));
    for (int i = 0; i < 33; i++) {
      world.release("s" + i);
    }
    WaitingGroup younger = WaitingGroup.of("h", 1, 1).since(SOON.multipliedBy(2));

    assertThat(world.place(younger)).isInstanceOf(GroupPlacing.Placed.class);
    assertThat(world.ledgers.ledger("0").holds()).hasSize(1);
  }
}
