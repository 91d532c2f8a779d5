package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupFixture.alike;
import static io.gpudra.controller.group.GroupFixture.claim;
import static io.gpudra.controller.group.GroupFixture.counts;
import static io.gpudra.controller.group.GroupFixture.group;
import static io.gpudra.controller.group.GroupFixture.member;
import static io.gpudra.controller.group.GroupFixture.node;
import static io.gpudra.controller.group.GroupFixture.nodes;
import static io.gpudra.controller.group.GroupFixture.pods;
import static io.gpudra.controller.group.GroupFixture.search;
import static io.gpudra.controller.group.GroupFixture.tied;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.controller.group.GroupAnswer.DoesNotFit;
import io.gpudra.controller.group.GroupAnswer.Fits;
import io.gpudra.controller.group.GroupAnswer.Undecided;
import io.gpudra.controller.group.GroupSearch.Need;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Inventory;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where the members of a group fit at once. */
final class GroupSearchTest {
  private static final int LARGE = 1_024;

  /** A condition whose evaluations are counted. */
  private record Counted(AtomicInteger count) implements FixedPredicate {
    @Override
    public long matching(Inventory inventory) {
      count.incrementAndGet();
      return FixedPredicate.all(inventory);
    }
  }

  /** A condition with the hash of all others, whose comparisons are counted. */
  private record Colliding(int number, AtomicInteger comparisons) implements FixedPredicate {
    @Override
    public long matching(Inventory inventory) {
      return FixedPredicate.all(inventory);
    }

    @Override
    public boolean equals(Object other) {
      comparisons.incrementAndGet();
      return other instanceof Colliding condition && condition.number == number;
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  private static ClaimRequest monitor(String name) {
    DeviceSubRequest sight =
        new DeviceSubRequest(
            Optional.empty(),
            1,
            /* all= */ true,
            new DeviceKind.MonitorAccess(),
            FixedPredicate.Among.EVERY,
            SharingStrategy.NONE);
    return new RequestFixture(
            new ClaimRef("team", name),
            ImmutableList.of(
                new RequestAlternative(ImmutableList.of(sight), DeviceConstraints.ANYHOW)))
        .build();
  }

  @Test
  void monitorsCountAgainstTheBudget() {
    GroupRequest request =
        group(
            IntStream.range(0, LARGE)
                .mapToObj(
                    pod ->
                        member(
                            "p" + pod,
                            IntStream.range(0, 8)
                                .mapToObj(i -> monitor("m%d-%d".formatted(pod, i)))
                                .toArray(ClaimRequest[]::new)))
                .toArray(GroupMember[]::new));
    SearchBudget budget = new SearchBudget();
    NodeCapacities capacities = new NodeCapacities();
    MemberKind kind = request.kinds().keySet().iterator().next();

    assertThat(capacities.of(nodes(1, 1), kind, LARGE, budget).get(0).count()).isEqualTo(64);
    assertThat(budget.used()).isBetween(512L, 2_000L);
    assertThat(capacities.of(nodes(100, 1), kind, LARGE, budget).get(99).sure()).isFalse();
    assertThat(budget.isOver()).isTrue();
  }

  @Test
  void membersThatAskAlikeFitIfTheRoomOfAllNodesSuffices() {
    ImmutableList<NodeLedger> nodes = ImmutableList.of(node("a", 3), node("b", 8), node("c", 5));

    assertThat(search(nodes, alike(7, 2))).isInstanceOf(Fits.class);
    assertThat(search(nodes, alike(8, 2))).isInstanceOf(DoesNotFit.class);
  }

  @Test
  void aRefusalSaysHowManyFit() {
    DoesNotFit no = (DoesNotFit) search(ImmutableList.of(node("a", 3), node("b", 5)), alike(8, 2));

    assertThat(no.fitting()).isEqualTo(3);
    assertThat(no.shortest().claims()).hasSize(1);
  }

  @Test
  void theNodesWithTheMostRoomAreFilledAndTheRestGoesWhereItLeavesTheLeast() {
    ImmutableList<NodeLedger> nodes =
        ImmutableList.of(node("a", 2), node("b", 8), node("c", 4), node("d", 3));

    assertThat(counts(search(nodes, alike(10, 1)))).isEqualTo(ImmutableMap.of("a", 2, "b", 8));
    assertThat(counts(search(nodes, alike(11, 1)))).isEqualTo(ImmutableMap.of("b", 8, "d", 3));
  }

  @Test
  void theCoresOfANodeCountForAllItsMembers() {
    ImmutableList<NodeLedger> nodes = ImmutableList.of(node("a", 8, 5), node("b", 8, 4));
    GroupMember[] members =
        IntStream.range(0, 5)
            .mapToObj(i -> member("p" + i, 2, claim("c" + i, 1)))
            .toArray(GroupMember[]::new);

    assertThat(search(nodes, group(members))).isInstanceOf(DoesNotFit.class);
    assertThat(counts(search(nodes, group(members[0], members[1], members[2], members[3]))))
        .isEqualTo(ImmutableMap.of("a", 2, "b", 2));
  }

  @Test
  void onlyOpenNodesAreUsed() {
    GroupAnswer answer =
        GroupSearch.of(nodes(2, 4), "n000"::equals, alike(4, 1), new NodeCapacities(), () -> false);

    assertThat(counts(answer)).isEqualTo(ImmutableMap.of("n000", 4));
  }

  @Test
  void whereOneKindAfterTheOtherFailsOthersAreTried() {
    // By itself, the pod with three GPUs would take the node that it fills best.
    ImmutableList<NodeLedger> nodes = ImmutableList.of(node("a", 5), node("b", 4));
    GroupRequest request =
        group(
            member("x", claim("cx", 3)),
            member("u", claim("cu", 2)),
            member("v", claim("cv", 2)),
            member("w", claim("cw", 2)));

    assertThat(counts(search(nodes, request))).isEqualTo(ImmutableMap.of("a", 2, "b", 2));
  }

  @Test
  void membersThatShareAClaimShareANode() {
    ClaimRequest shared = claim("shared", 1);
    GroupRequest request =
        group(
            member("x", shared, claim("cx", 2)),
            member("z", claim("cz", 3)),
            member("y", shared, claim("cy", 1)));

    assertThat(pods(search(ImmutableList.of(node("a", 4), node("b", 3)), request)))
        .isEqualTo(ImmutableMap.of("a", ImmutableList.of("x", "y"), "b", ImmutableList.of("z")));
    assertThat(search(nodes(2, 3), request)).isInstanceOf(DoesNotFit.class);
  }

  @Test
  void membersThatShareClaimsThroughAnotherShareANode() {
    ClaimRequest left = claim("left", 1);
    ClaimRequest right = claim("right", 1);
    GroupRequest request = group(member("x", left), member("y", right), member("z", left, right));

    assertThat(request.parts()).hasSize(1);
    assertThat(search(nodes(2, 1), request)).isInstanceOf(DoesNotFit.class);
    assertThat(counts(search(nodes(1, 2), request))).isEqualTo(ImmutableMap.of("n000", 3));
  }

  @Test
  void aMemberWithAnAllocatedClaimStaysOnItsNode() {
    GroupRequest request =
        group(member("p", claim("c", 1)), tied(member("q", claim("d", 1)), "n001"));

    assertThat(pods(search(nodes(3, 1), request)).get("n001")).containsExactly("q");
    assertThat(search(nodes(1, 2), request)).isInstanceOf(DoesNotFit.class);
  }

  @Test
  void namesAndTheOrderOfUidsDoNotMakeAKind() {
    ClaimRequest one = RequestFixture.like(claim("p-one", 1)).uid("z").build();
    ClaimRequest two = RequestFixture.like(claim("p-two", 2)).uid("a").build();
    GroupRequest request =
        group(member("p", one, two), member("q", claim("q-one", 1), claim("q-two", 2)));

    assertThat(request.kinds()).hasSize(1);
  }

  @Test
  void tooManyKindsAreNotDecided() {
    GroupMember[] members =
        IntStream.rangeClosed(1, GroupSearch.MAX_KINDS + 1)
            .mapToObj(gpus -> member("p" + gpus, claim("c" + gpus, gpus)))
            .toArray(GroupMember[]::new);

    assertThat(search(nodes(16, 16), group(members))).isInstanceOf(Undecided.class);
  }

  @Test
  void aThousandKindsOfOneHashAreRefusedAtOnce() {
    AtomicInteger comparisons = new AtomicInteger();
    GroupMember[] members =
        IntStream.range(0, LARGE)
            .mapToObj(i -> member("p" + i, claim("c" + i, 1, new Colliding(i, comparisons))))
            .toArray(GroupMember[]::new);

    assertThat(search(nodes(1, 8), group(members))).isEqualTo(new Undecided(0));
    assertThat(comparisons).hasPositiveValue().hasValueLessThan(LARGE);
  }

  @Test
  void membersThatShareANodeWithTooManyClaimsAreNotDecided() {
    assertThat(search(nodes(1, 8), sharing(GroupSearch.MAX_OF_A_PART)))
        .isInstanceOf(DoesNotFit.class);
    assertThat(search(nodes(1, 8), sharing(GroupSearch.MAX_OF_A_PART + 1)))
        .isEqualTo(new Undecided(0));
  }

  @Test
  void tooManyMembersThatShareANodeAreNotDecided() {
    assertThat(search(nodes(1, 8), ofOneClaim(GroupSearch.MAX_OF_A_PART)))
        .isInstanceOf(DoesNotFit.class);
    assertThat(search(nodes(1, 8), ofOneClaim(GroupSearch.MAX_OF_A_PART + 1)))
        .isEqualTo(new Undecided(0));
  }

  private static GroupRequest ofOneClaim(int pods) {
    ClaimRequest claim = claim("c", 1);
    return group(
        IntStream.range(0, pods).mapToObj(i -> member("p" + i, claim)).toArray(GroupMember[]::new));
  }

  /** Two pods with a common claim, which have this number of claims together. */
  private static GroupRequest sharing(int claims) {
    ClaimRequest[] all =
        IntStream.range(0, claims).mapToObj(i -> claim("c" + i, 1)).toArray(ClaimRequest[]::new);
    return group(member("x", all), member("y", all[0]));
  }

  @Test
  void aSearchThatFailsDecidesNothing() {
    FixedPredicate deep =
        inventory -> {
          throw new StackOverflowError();
        };

    assertThat(search(nodes(2, 8), group(member("p", claim("c", 1, deep)))))
        .isEqualTo(new Undecided(0));
  }

  @Test
  void kindsAreNotSearchedForOnceTheBudgetOfThePassIsUsedUp() {
    GroupRequest request =
        group(member("p", claim("p", 3)), member("q", claim("q", 3)), member("r", claim("r", 2)));
    ImmutableList<NodeLedger> nodes = ImmutableList.of(node("a", 6), node("b", 4));
    SearchBudget budget = new SearchBudget();
    ImmutableList<Need> needs =
        request.kinds().entrySet().stream()
            .map(
                kind ->
                    new Need(
                        kind.getKey(),
                        kind.getValue(),
                        new NodeCapacities().of(nodes, kind.getKey(), LARGE, budget)))
            .collect(ImmutableList.toImmutableList());
    NodeRoom room = new NodeRoom(ImmutableList.copyOf(request.kinds().keySet()), budget);
    budget.asks(Integer.MAX_VALUE / 2);
    KindSearch search = new KindSearch(nodes, needs, room);

    assertThat(search.find()).isEmpty();
    assertThat(search.isDecided()).isFalse();
    assertThat(room.searches()).isZero();
  }

  @Test
  void aNodeIsNotComparedWithDemandsOnceTheTimeIsOver() {
    GroupRequest tooLarge = group(member("p", LARGE, claim("c", 1)));

    assertThat(search(nodes(1, 8), tooLarge)).isInstanceOf(DoesNotFit.class);
    assertThat(
            GroupSearch.of(nodes(1, 8), unused -> true, tooLarge, new NodeCapacities(), () -> true))
        .isEqualTo(new Undecided(0));
  }

  @Test
  void tooManyCombinationsAreNotDecided() {
    // Each node has room for two of three GPUs, or one and two of two, or three of two, and none
    // stands for another.
    ImmutableList<NodeLedger> nodes =
        IntStream.range(0, 40)
            .mapToObj(i -> node("n%02d".formatted(i), 7, 64 + i))
            .collect(ImmutableList.toImmutableList());
    GroupMember[] members =
        IntStream.range(0, 101)
            .mapToObj(i -> member("p%03d".formatted(i), claim("c" + i, i < 60 ? 3 : 2)))
            .toArray(GroupMember[]::new);

    assertThat(search(nodes, group(members))).isInstanceOf(Undecided.class);
  }

  @Test
  void nodesThatAreAlikeAreNotSearchedOneByOne() {
    // Ten of 20 nodes have room for one more pod beside one with five GPUs, and ten for two.
    GroupMember[] members =
        IntStream.range(0, 41)
            .mapToObj(i -> member("p%03d".formatted(i), claim("c" + i, i < 10 ? 5 : 3)))
            .toArray(GroupMember[]::new);

    assertThat(search(nodes(20, 8), group(members))).isInstanceOf(DoesNotFit.class);
  }

  @Test
  void aGroupThatWaitsIsSearchedAgainOnlyWhereNodesChanged() {
    AtomicInteger evaluations = new AtomicInteger();
    GroupMember[] members =
        IntStream.range(0, 9)
            .mapToObj(i -> member("p" + i, claim("c" + i, 1, new Counted(evaluations))))
            .toArray(GroupMember[]::new);
    NodeCapacities capacities = new NodeCapacities();
    ImmutableList<NodeLedger> nodes = nodes(4, 2);
    GroupAnswer first =
        GroupSearch.of(nodes, unused -> true, group(members), capacities, () -> false);
    int before = evaluations.getAndSet(0);

    assertThat(GroupSearch.of(nodes, unused -> true, group(members), capacities, () -> false))
        .isEqualTo(first);
    assertThat(evaluations).hasValue(0);
    assertThat(before).isPositive();

    ImmutableList<NodeLedger> changed =
        ImmutableList.of(nodes.get(0), nodes.get(1), nodes.get(2), node("n003", 3));
    assertThat(GroupSearch.of(changed, unused -> true, group(members), capacities, () -> false))
        .isInstanceOf(Fits.class);
    assertThat(evaluations).hasValueLessThan(before);
  }

  @Test
  void aLargerGroupIsNotAnsweredByASmallerOne() {
    NodeCapacities capacities = new NodeCapacities();
    ImmutableList<NodeLedger> nodes = nodes(2, 8);

    assertThat(GroupSearch.of(nodes, unused -> true, alike(2, 1), capacities, () -> false))
        .isInstanceOf(Fits.class);
    assertThat(GroupSearch.of(nodes, unused -> true, alike(16, 1), capacities, () -> false))
        .isInstanceOf(Fits.class);
    assertThat(counts(GroupSearch.of(nodes, unused -> true, alike(3, 1), capacities, () -> false)))
        .isEqualTo(ImmutableMap.of("n001", 3));
  }

  @Test
  void theLargestGroupIsPlaced() {
    assertThat(counts(search(nodes(128, 8), alike(LARGE, 1))).values())
        .isEqualTo(Collections.nCopies(128, 8));
  }

  @Test
  void aLargerGroupIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> alike(LARGE + 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> group());
  }
}
