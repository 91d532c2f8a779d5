package io.gpudra.controller.status;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.model.node.Inventory;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Which class a claim will name is not known when its parameters are judged; numbers would answer
 * whatever a tenant asks.
 */
class UntoldConditionsTest {
  private static final ImmutableList<Inventory> CLUSTER =
      ImmutableList.of(node("worker-1", A100), node("worker-2", A100));
  private static final String OF_NODE = "{'cel':\"device.node == 'worker-1'\"}";

  private static ParametersEvaluator judge(ImmutableList<Inventory> cluster, String... forbidden) {
    return new ParametersEvaluator(
        new ParametersReader(DRIVER, new DeviceSamples.Told()),
        GpuNodes.of(DRIVER, cluster),
        ImmutableSet.copyOf(forbidden));
  }

  private static ParametersStatus of(ParametersEvaluator judge, String spec) {
    return judge.evaluate(new Gson().fromJson(spec, GpuClaimParametersSpec.class));
  }

  @Test
  void whatThereIsForAConditionThatSomeClassForbidsIsNotTold() {
    ParametersStatus told = of(judge(CLUSTER), OF_NODE);
    ParametersStatus untold = of(judge(CLUSTER, "node"), OF_NODE);

    assertThat(told.matchingNodes()).isOne();
    assertThat(untold.matchingNodes()).isNull();
    assertThat(untold.matchingDevices()).isNull();
    assertThat(untold.summary()).isEqualTo(told.summary());
    assertThat(untold.conditions())
        .containsExactly(
            new Condition("Valid", "True", "Accepted", null, null),
            new Condition(
                "Satisfiable",
                "Unknown",
                "AttributeForbidden",
                "spec.cel: Forbidden: a class of the cluster lets no condition read device.node\n"
                    + "the matching devices are not reported",
                null));
  }

  @Test
  void whetherThereAreNodesIsNotToldEither() {
    assertThat(of(judge(ImmutableList.of(), "node"), OF_NODE))
        .isEqualTo(of(judge(CLUSTER, "node"), OF_NODE));
  }

  @Test
  void otherConditionsAreCountedAsEver() {
    assertThat(of(judge(CLUSTER, "uuid"), OF_NODE)).isEqualTo(of(judge(CLUSTER), OF_NODE));
    assertThat(of(judge(CLUSTER, "node"), "{'cel':'device.index == 0'}").matchingNodes())
        .isEqualTo(2);
  }

  @Test
  void whatIsWrongIsToldAsEver() {
    assertThat(
            Objects.requireNonNull(
                of(judge(CLUSTER, "node"), "{'count':0,'cel':\"device.node == 'a'\"}")
                    .conditions()))
        .extracting(Condition::reason)
        .containsExactly("InvalidField");
  }

  @Test
  void aClassIsToldOfItsOwnCondition() {
    assertThat(
            judge(CLUSTER, "node")
                .evaluate(new Gson().fromJson(OF_NODE, GpuClassParametersSpec.class))
                .matchingNodes())
        .isOne();
  }
}
