package io.gpudra.controller.allocation.placement;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.search.RequestCandidates;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.search.TopologyGroup;
import io.gpudra.controller.memory.LiveHeap;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a search remembers of one node, however much a pod asks for. */
class CandidateMemoryTest {
  private static final long MEBI = 1 << 20;
  private static final int WISHES = 300;
  private static final ImmutableSet<MatchAttribute> ALL =
      ImmutableSet.copyOf(MatchAttribute.values());
  private static final ImmutableSet<MatchAttribute> OF_PARTS =
      ImmutableSet.of(
          MatchAttribute.PARENT_UUID, MatchAttribute.MEMORY, MatchAttribute.MIG_PROFILE);

  private final ClaimRequest claim = Worlds.claim("a", Worlds.whole(1));
  private final SearchProblem problem = SearchProblem.of(Worlds.a100s(8), ImmutableList.of(claim));
  private final SearchBudget budget = new SearchBudget();

  private static DeviceConstraints alike(Set<MatchAttribute> attributes) {
    return new DeviceConstraints(Optional.empty(), ImmutableSet.copyOf(attributes));
  }

  @Test
  void manyWishesForManySetsOfDevicesAreRememberedInAFewMegabytes() {
    ImmutableList<DeviceSubRequest> subRequests =
        IntStream.rangeClosed(1, WISHES)
            .mapToObj(count -> Worlds.mig("1g.5gb", count))
            .collect(ImmutableList.toImmutableList());
    budget.nextNode();
    ImmutableList<TopologyGroup> groups = problem.candidateIndex().groups(alike(OF_PARTS), budget);
    long before = LiveHeap.bytes();
    for (DeviceSubRequest subRequest : subRequests) {
      for (TopologyGroup group : groups) {
        assertThat(RequestCandidates.of(problem.asking(claim), subRequest, group, problem).count())
            .isEqualTo(subRequest.count());
      }
    }

    assertThat(groups).hasSizeGreaterThan(200);
    assertThat(LiveHeap.bytes() - before).isLessThan(4 * MEBI);
    assertThat(problem.candidateIndex()).isNotNull();
  }

  @Test
  void manyWaysToAgreeAreRememberedInAFewMegabytes() {
    long before = LiveHeap.bytes();
    for (Set<MatchAttribute> attributes : Sets.powerSet(ALL)) {
      budget.nextNode();
      assertThat(problem.candidateIndex().groups(alike(attributes), budget)).isNotEmpty();
    }

    assertThat(budget.isOver()).isFalse();
    assertThat(LiveHeap.bytes() - before).isLessThan(4 * MEBI);
    assertThat(problem.candidateIndex()).isNotNull();
  }
}
