package io.gpudra.controller.allocation.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.placing.Worlds;
import io.gpudra.controller.allocation.request.Alike;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What it costs to know which GPUs of a node are connected, whatever the node says. */
class GroupTest {
  private static final int FEW = 500;
  private static final int ENOUGH = 10_000;
  private static final int ALL_WAYS = 6_561;
  private static final Inventory FORGED = Worlds.linkedInTooManyWays(24);
  private static final Together CONNECTED =
      new Together(
          Optional.of(new Together.Linked(Together.By.NVLINK, /* required= */ true)),
          ImmutableSet.of());

  private final AtomicInteger spent = new AtomicInteger();
  private final Effort effort = cost -> spent.addAndGet(cost) <= ENOUGH;

  @Test
  void aTopologyOfTooManyWaysCostsTheEffortThatThereIs() {
    assertThat(Group.of(FORGED, CONNECTED, effort)).isNotEmpty();
    assertThat(spent).hasValueBetween(ENOUGH, 2 * ENOUGH);
  }

  @Test
  void attributesThatDifferInTooManyWaysCostTheEffortThatThereIs() {
    Together alike =
        new Together(Optional.empty(), ImmutableSet.of(Alike.PARENT_UUID, Alike.MIG_PROFILE));

    assertThat(Group.of(FORGED, alike, cost -> spent.addAndGet(cost) <= FEW)).isNotEmpty();
    assertThat(spent).hasValueBetween(FEW, 2 * FEW);
  }

  @Test
  void waysThatTheBudgetWasNotEnoughForAreLookedForAgain() {
    Offers offers = new Offers(FORGED, ImmutableList.of());
    Budget budget = new Budget();
    budget.nextNode();
    budget.spend(150_000);
    assertThat(offers.groups(CONNECTED, budget)).hasSizeLessThan(ALL_WAYS);
    assertThat(budget.spent()).isTrue();
    budget.nextNode();

    assertThat(offers.groups(CONNECTED, budget)).hasSize(ALL_WAYS);
  }

  @Test
  void waysThatAreKnownCostNothingAgain() {
    Offers offers = new Offers(FORGED, ImmutableList.of());
    Budget budget = new Budget();
    for (int i = 0; i < 100; i++) {
      budget.nextNode();
      assertThat(offers.groups(CONNECTED, budget)).hasSize(ALL_WAYS);
    }

    assertThat(budget.isOver()).isFalse();
  }
}
