package io.gpudra.crds.model.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeDemand.Misfit;
import io.gpudra.crds.model.node.NodeSelector.Operator;
import io.gpudra.crds.model.node.NodeSelector.Requirement;
import io.gpudra.crds.model.node.NodeSelector.Term;
import io.gpudra.crds.testing.NodeFixture;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeDemandTest {

  private static NodeState node(
      ImmutableSet<NodeTaint> taints, ImmutableMap<String, Long> allocatable) {
    return NodeFixture.ready("n0", ImmutableMap.of("zone", "a"), taints, allocatable);
  }

  private static NodeDemand demand(ImmutableMap<String, Long> size, NodeToleration... tolerations) {
    return new NodeDemand(Optional.empty(), ImmutableList.copyOf(tolerations), size);
  }

  private static NodeSelector inZone(String zone) {
    Requirement requirement = new Requirement("zone", Operator.IN, ImmutableList.of(zone));
    return new NodeSelector(
        ImmutableList.of(new Term(ImmutableList.of(requirement), ImmutableList.of())));
  }

  @Test
  void aNodeIsSelectedByItsLabels() {
    NodeState node = node(ImmutableSet.of(), ImmutableMap.of());

    for (String zone : List.of("a", "b")) {
      assertThat(
              new NodeDemand(Optional.of(inZone(zone)), ImmutableList.of(), ImmutableMap.of())
                  .misfit(node))
          .isEqualTo(zone.equals("a") ? Optional.empty() : Optional.of(Misfit.NOT_SELECTED));
    }
  }

  /** The rules of Kubernetes: key, operator, value, effect against the taint key=value:effect. */
  @ParameterizedTest
  @CsvSource({
    "key, Equal, value, NoSchedule, true",
    "key, Equal, value, , true",
    "key, Exists, , NoSchedule, true",
    "key, Exists, , , true",
    "'', Exists, , , true",
    "'', Exists, , NoSchedule, true",
    "'', Exists, , NoExecute, false",
    "key, Equal, other, NoSchedule, false",
    "key, Equal, '', NoSchedule, false",
    "key, Equal, value, NoExecute, false",
    "key, Exists, , NoExecute, false",
    "other, Equal, value, NoSchedule, false",
    "other, Exists, , , false",
    "ke, Exists, , , false",
  })
  void aTaintIsToleratedAsInKubernetes(
      String key,
      String operator,
      @Nullable String value,
      @Nullable String effect,
      boolean tolerated) {
    NodeToleration toleration =
        new NodeToleration(
            key,
            operator.equals("Exists") ? Optional.empty() : Optional.ofNullable(value),
            Effect.of(effect));
    NodeState node =
        node(ImmutableSet.of(new NodeTaint("key", "value", Effect.NO_SCHEDULE)), ImmutableMap.of());

    assertThat(demand(ImmutableMap.of(), toleration).misfit(node))
        .isEqualTo(tolerated ? Optional.empty() : Optional.of(Misfit.TAINTED));
  }

  @Test
  void everyTaintMustBeTolerated() {
    NodeState node =
        node(
            ImmutableSet.of(
                new NodeTaint("a", "", Effect.NO_SCHEDULE),
                new NodeTaint("b", "", Effect.NO_EXECUTE)),
            ImmutableMap.of());
    NodeToleration a = new NodeToleration("a", Optional.empty(), Optional.empty());
    NodeToleration b = new NodeToleration("b", Optional.empty(), Optional.empty());

    assertThat(demand(ImmutableMap.of(), a).misfit(node)).hasValue(Misfit.TAINTED);
    assertThat(demand(ImmutableMap.of(), a, b).misfit(node)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'cpu=2000', true",
    "'cpu=2000,memory=1000', true",
    "'', true",
    "'nic=0', true",
    "'cpu=2001', false",
    "'cpu=1000,memory=1001', false",
    "'nic=1', false",
  })
  void theSizeOfThePodIsComparedWithWhatPodsMayUse(String size, boolean fits) {
    NodeState node = node(ImmutableSet.of(), ImmutableMap.of("cpu", 2_000L, "memory", 1_000L));

    assertThat(demand(size(size)).misfit(node))
        .isEqualTo(fits ? Optional.empty() : Optional.of(Misfit.TOO_SMALL));
  }

  private static ImmutableMap<String, Long> size(String text) {
    ImmutableMap.Builder<String, Long> size = ImmutableMap.builder();
    Splitter.on(',')
        .omitEmptyStrings()
        .withKeyValueSeparator('=')
        .split(text)
        .forEach((resource, amount) -> size.put(resource, Long.valueOf(amount)));
    return size.buildOrThrow();
  }

  @Test
  void severalPodsDemandAsMuchAsEachTogether() {
    NodeDemand three = demand(ImmutableMap.of("cpu", 700L, "memory", Long.MAX_VALUE / 2)).times(3);

    assertThat(three.size()).containsEntry("cpu", 2_100L).containsEntry("memory", Long.MAX_VALUE);
  }
}
