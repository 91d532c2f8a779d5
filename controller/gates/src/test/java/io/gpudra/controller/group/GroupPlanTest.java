package io.gpudra.controller.group;

import static io.gpudra.controller.group.GroupFixture.alike;
import static io.gpudra.controller.group.GroupFixture.claim;
import static io.gpudra.controller.group.GroupFixture.group;
import static io.gpudra.controller.group.GroupFixture.member;
import static io.gpudra.controller.group.GroupFixture.node;
import static io.gpudra.controller.group.GroupFixture.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nodes that are chosen to be kept, and one of them that cannot be evaluated. */
final class GroupPlanTest {
  /** Of two kinds, so that all nodes are searched. */
  private static final GroupRequest MIXED =
      group(member("p", claim("c", 2)), member("q", claim("d", 1)), member("r", claim("e", 1)));

  private static Optional<GroupPlan> plan(ImmutableList<NodeLedger> nodes, GroupRequest request) {
    return GroupPlan.of(nodes, request, new EmptiedNodes(), new NodeCapacities(), () -> false);
  }

  /** A node of which nothing but its name can be said. */
  private static NodeLedger broken() {
    NodeLedger broken =
        mock(
            NodeLedger.class,
            unused -> {
              throw new ArithmeticException("long overflow");
            });
    doReturn("a").when(broken).node();
    return broken;
  }

  @Test
  void aNodeThatCannotBeEvaluatedIsNoneOfThePlan() {
    assertThat(plan(ImmutableList.of(broken(), node("b", 2), node("c", 2)), MIXED))
        .hasValueSatisfying(plan -> assertThat(plan.counts()).containsOnlyKeys("b", "c"));
  }

  @Test
  void norDoesItEndASearch() {
    assertThat(GroupFixture.search(ImmutableList.of(broken(), node("b", 2)), MIXED))
        .isInstanceOf(GroupAnswer.Undecided.class);
    assertThat(GroupFixture.search(ImmutableList.of(node("b", 2)), MIXED))
        .isInstanceOf(GroupAnswer.DoesNotFit.class);
  }

  @Test
  void aPlanTakesAsFewNodesAsItCan() {
    assertThat(plan(nodes(4, 1), alike(2, 1)))
        .hasValueSatisfying(plan -> assertThat(plan.counts()).hasSize(2));
  }
}
