package io.gpudra.controller.allocation.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.mig.LayoutBudget;
import io.gpudra.controller.allocation.placement.Worlds;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What it costs to know which GPUs of a node are connected, whatever the node says. */
class TopologyGroupTest {
  private static final int FEW = 500;
  private static final int ENOUGH = 10_000;
  private static final int ALL_WAYS = 6_561;
  private static final Inventory FORGED = Worlds.linkedInTooManyWays(24);
  private static final DeviceConstraints CONNECTED =
      new DeviceConstraints(
          Optional.of(
              new DeviceConstraints.Linked(
                  DeviceConstraints.Connection.NVLINK, /* required= */ true)),
          ImmutableSet.of());

  private final AtomicInteger spent = new AtomicInteger();
  private final LayoutBudget layoutBudget = cost -> spent.addAndGet(cost) <= ENOUGH;

  @Test
  void aTopologyOfTooManyWaysCostsTheEffortThatThereIs() {
    assertThat(TopologyGroup.of(FORGED, CONNECTED, layoutBudget)).isNotEmpty();
    assertThat(spent).hasValueBetween(ENOUGH, 2 * ENOUGH);
  }

  @Test
  void attributesThatDifferInTooManyWaysCostTheEffortThatThereIs() {
    DeviceConstraints alike =
        new DeviceConstraints(
            Optional.empty(),
            ImmutableSet.of(MatchAttribute.PARENT_UUID, MatchAttribute.MIG_PROFILE));

    assertThat(TopologyGroup.of(FORGED, alike, cost -> spent.addAndGet(cost) <= FEW)).isNotEmpty();
    assertThat(spent).hasValueBetween(FEW, 2 * FEW);
  }

  @Test
  void waysThatTheBudgetWasNotEnoughForAreLookedForAgain() {
    CandidateIndex candidateIndex = new CandidateIndex(FORGED, ImmutableList.of());
    SearchBudget budget = new SearchBudget();
    budget.nextNode();
    budget.spend(150_000);
    assertThat(candidateIndex.groups(CONNECTED, budget)).hasSizeLessThan(ALL_WAYS);
    assertThat(budget.spent()).isTrue();
    budget.nextNode();

    assertThat(candidateIndex.groups(CONNECTED, budget)).hasSize(ALL_WAYS);
  }

  @Test
  void waysThatAreKnownCostNothingAgain() {
    CandidateIndex candidateIndex = new CandidateIndex(FORGED, ImmutableList.of());
    SearchBudget budget = new SearchBudget();
    for (int i = 0; i < 100; i++) {
      budget.nextNode();
      assertThat(candidateIndex.groups(CONNECTED, budget)).hasSize(ALL_WAYS);
    }

    assertThat(budget.isOver()).isFalse();
  }
}
