package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.gpudra.controller.group.GroupFixture.claim;
import static io.gpudra.controller.group.GroupFixture.group;
import static io.gpudra.controller.group.GroupFixture.member;
import static io.gpudra.controller.group.GroupFixture.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** For how many kinds, and how long, the room of nodes is remembered. */
class NodeCapacitiesTest extends Ticker {
  private static final int KINDS = 16;
  private static final int RESOURCES = 32;

  private final NodeCapacities capacities = new NodeCapacities(this);
  private final ImmutableList<NodeLedger> nodes = nodes(1, 2);
  private final AtomicInteger evaluations = new AtomicInteger();
  private final FixedPredicate counting =
      inventory -> {
        evaluations.incrementAndGet();
        return FixedPredicate.all(inventory);
      };
  private long nanos;

  private void search(GroupRequest request) {
    GroupSearch.of(nodes, unused -> true, request, capacities, () -> false);
  }

  private void searchForMany() {
    searchFor(2 * KINDS);
  }

  private void searchFor(int kinds) {
    IntStream.rangeClosed(1, kinds).forEach(gpus -> search(group(member("p", claim("c", gpus)))));
  }

  @Test
  void fewKindsAreRemembered() {
    searchForMany();
    assertThat(capacities.size()).isEqualTo(KINDS);
  }

  /** The most members that share a claim, each with many resources of a size. */
  private void searchForMembers(IntUnaryOperator sizes) {
    ClaimRequest shared = claim("shared", 1);
    search(
        group(
            IntStream.range(0, GroupSearch.MAX_OF_A_PART)
                .mapToObj(i -> sized(member("p" + i, shared), sizes.applyAsInt(i)))
                .toArray(GroupMember[]::new)));
  }

  private static GroupMember sized(GroupMember member, long size) {
    ImmutableMap<String, Long> resources =
        IntStream.range(0, RESOURCES)
            .boxed()
            .collect(toImmutableMap(i -> "example.com/r" + i, unused -> size));
    return new GroupMember(
        member.pod(),
        member.request(),
        new NodeDemand(Optional.empty(), ImmutableList.of(), resources),
        Optional.empty());
  }

  @Test
  void aLargeKindTakesThePlaceOfSmallOnes() {
    searchForMany();
    searchForMembers(i -> i);
    assertThat(capacities.size()).isBetween(2L, KINDS - 1L);
  }

  @Test
  void membersWithEqualDemandsWeighAsOne() {
    searchForMany();
    searchForMembers(unused -> 1);
    assertThat(capacities.size()).isEqualTo(KINDS);
  }

  @Test
  void aKindIsForgottenFiveMinutesAfterTheLastSearch() {
    searchForMany();
    nanos += Duration.ofMinutes(4).toNanos();
    search(group(member("p", claim("c", 2 * KINDS))));
    nanos += Duration.ofMinutes(2).toNanos();

    assertThat(capacities.size()).isEqualTo(1);
  }

  private GroupMember counted() {
    return member("counted", claim("counted", 1, counting));
  }

  private static GroupMember inAnotherNamespace(GroupMember member) {
    return new GroupMember(
        new PodRef("team-b", "p", "p-uid"), member.request(), member.demand(), Optional.empty());
  }

  private void assertIsRemembered(GroupMember counted) {
    assertThat(evaluations.getAndSet(0)).isPositive();
    search(group(counted));
    assertThat(evaluations).hasValue(0);
  }

  @Test
  void kindsOfOneNamespaceForgetNoneOfAnother() {
    GroupMember other = inAnotherNamespace(counted());
    search(group(other));
    searchForMany();
    searchForMembers(i -> i);

    assertIsRemembered(other);
  }

  @Test
  void ofTheNamespaceWithTheMostBytesTheKindGoesWhoseSearchIsTheOldest() {
    search(group(counted()));
    searchFor(KINDS - 1);
    search(group(counted()));
    search(group(inAnotherNamespace(member("p", claim("c", 1)))));

    assertIsRemembered(counted());
  }

  @Override
  public long read() {
    return nanos;
  }
}
