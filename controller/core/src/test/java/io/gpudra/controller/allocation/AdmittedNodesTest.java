package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.gpudra.crds.testing.NodeFixture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node that suits more pods than before is news to those that wait. */
class AdmittedNodesTest {
  private final TwoNodes nodes = new TwoNodes();

  private void becomes(ImmutableMap<String, Long> allocatable, String... taints) {
    ImmutableSet<NodeTaint> all =
        Stream.of(taints)
            .map(key -> new NodeTaint(key, "", Effect.NO_SCHEDULE))
            .collect(ImmutableSet.toImmutableSet());
    NodeState state = NodeFixture.ready("n0", ImmutableMap.of(), all, allocatable);
    nodes.ledgers.observe(with(inventory("n0", 2), state));
  }

  @Test
  void aTaintIsNobodysGainAndItsEndThatOfThoseWhoTolerateTheOthers() {
    becomes(ImmutableMap.of());
    nodes.listener.told();
    becomes(ImmutableMap.of(), "a", "b");
    assertThat(nodes.listener.told()).isEmpty();
    becomes(ImmutableMap.of(), "b");

    assertThat(nodes.listener.told()).containsExactly("n0 freed 2");
  }

  @Test
  void aNodeOfWhichTheLabelsCanBeReadAgainSuitsMorePods() {
    becomes(ImmutableMap.of());
    nodes.listener.told();
    nodes.ledgers.observe(with(inventory("n0", 2), NodeFixture.crowded("n0")));
    assertThat(nodes.listener.told()).isEmpty();
    becomes(ImmutableMap.of());

    assertThat(nodes.listener.told()).containsExactly("n0 freed 2");
  }

  @Test
  void aNodeOfAnotherSizeMaySuitOtherPods() {
    becomes(ImmutableMap.of("cpu", 4_000L));
    nodes.listener.told();
    becomes(ImmutableMap.of("cpu", 8_000L));

    assertThat(nodes.listener.told()).containsExactly("n0 freed 2");
  }
}
