package io.gpudra.controller.kube.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.client.LenientJson;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Node;
import java.math.RoundingMode;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeMappingTest {

  private static NodeState state(String json) {
    return NodeMapping.state(LenientJson.gson().fromJson(json.replace('\'', '"'), V1Node.class));
  }

  @Test
  void theTaintsThatKeepPodsAwayAreKnownWithTheirValues() {
    NodeState state =
        state(
            "{'spec':{'taints':[{'key':'a','value':'1','effect':'NoSchedule'},"
                + "{'key':'b','effect':'NoExecute'},{'key':'c','effect':'PreferNoSchedule'}]}}");

    assertThat(state.taints())
        .containsExactly(
            new NodeTaint("a", "1", Effect.NO_SCHEDULE), new NodeTaint("b", "", Effect.NO_EXECUTE));
    assertThat(state.repellingTaints()).containsExactly("a", "b");
  }

  @Test
  void ofTheSizeEachResourceIsKnownInThousandths() {
    assertThat(
            state(
                    "{'status':{'allocatable':{'cpu':'3920m','memory':'1Ki','pods':'110',"
                        + "'example.com/nic':'2'},'capacity':{'cpu':'4'}}}")
                .allocatable())
        .containsEntry("cpu", 3_920L)
        .containsEntry("memory", 1_024_000L)
        .containsEntry("pods", 110_000L)
        .containsEntry("example.com/nic", 2_000L)
        .hasSize(4);
    assertThat(state("{}").allocatable()).isEmpty();
  }

  @Test
  void ofEndlessResourcesTheUsualOnesAreKept() {
    String many =
        IntStream.range(0, 1_000)
            .mapToObj("'a-%d.example.com/x':'1'"::formatted)
            .collect(Collectors.joining(","));

    assertThat(state("{'status':{'allocatable':{%s,'cpu':'1','pods':'2'}}}".formatted(many)))
        .satisfies(state -> assertThat(state.allocatable()).hasSize(32))
        .satisfies(state -> assertThat(state.allocatable()).containsKeys("cpu", "pods"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1000 | 24 | 10 | false",
        "1000 | 25 | 10 | true",
        "1025 | 0 | 10 | true",
        "0 | 1025 | 10 | true",
        "100 | 0 | 600 | false",
        "100 | 0 | 700 | true",
        "0 | 100 | 700 | true",
        "50 | 50 | 700 | true",
      })
  void ofANodeOfMoreLabelsAndTaintsThanNodesHaveNoneIsKept(
      int labels, int taints, int length, boolean crowded) {
    String value = "v".repeat(length);
    NodeState state =
        state(
            "{'metadata':{'name':'n','labels':{%s}},'spec':{'taints':[%s]},"
                    .formatted(
                        many(labels, "'k%d':'" + value + "'"),
                        many(taints, "{'key':'k%d','value':'" + value + "','effect':'NoExecute'}"))
                + "'status':{'allocatable':{'cpu':'1'}}}");

    assertThat(state.crowded()).isEqualTo(crowded);
    assertThat(state.labels()).hasSize(crowded ? 0 : labels);
    assertThat(state.taints()).hasSize(crowded ? 0 : taints);
    assertThat(state.allocatable()).containsKey("cpu");
  }

  private static String many(int count, String entry) {
    return IntStream.range(0, count).mapToObj(entry::formatted).collect(Collectors.joining(","));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1000, 1000",
    "0.0004, 0, 1",
    "1500u, 1, 2",
    "-1, 0, 0",
    "0, 0, 0",
    "1e999999999, 9223372036854775807, 9223372036854775807",
    "1e-999999999, 0, 1",
    "9223372036854775.807, 9223372036854775807, 9223372036854775807",
    "9223372036854775.8061, 9223372036854775806, 9223372036854775807",
  })
  void aQuantityOfAnySizeIsANumber(String quantity, long down, long up) {
    Quantity read = Quantity.fromString(quantity);

    assertThat(QuantityMapping.thousandths(read, RoundingMode.DOWN)).isEqualTo(down);
    assertThat(QuantityMapping.thousandths(read, RoundingMode.UP)).isEqualTo(up);
  }
}
