package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.GpuModels;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of claims that no GPU of the cluster could ever serve. */
class SatisfiabilityCheckTest {
  private static final ImmutableList<Inventory> CLUSTER =
      ImmutableList.of(node("a", A100_MIG, A100_MIG), node("b", T4));

  private final ConditionCompiler conditionCompiler =
      new ConditionCompiler(DRIVER, new GpuSamples.Alerts());

  private ImmutableList<String> problems(
      ImmutableList<Inventory> cluster, boolean whole, String spec) {
    return new SatisfiabilityCheck(conditionCompiler, ClusterCapacity.of(DRIVER, cluster), whole)
        .problems(new Gson().fromJson(spec, GpuClaimParametersSpec.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "M5 | {'migProfile':'1g.5gb'} | spec.migProfile: no GPU of the cluster offers \"1g.5gb\"; offered: 1g.10gb, 1g.10gb+me, 3g.40gb; did you mean \"1g.10gb\"?",
        "M5 | {'migProfile':'1c.7g.80gb'} | spec.migProfile: no GPU of the cluster offers \"7g.80gb\"; offered: 1g.10gb, 1g.10gb+me, 3g.40gb; did you mean \"1g.10gb\"?",
        "M5 | {'migProfile':'1c.3g.40gb'} | ",
        "M6 | {'memory':'4096Gi'} | spec.memory: largest GPU has 80Gi, 4096Gi wanted",
        "M6 | {'memoryPerGpu':'81G'} | spec.memoryPerGpu: largest GPU has 80Gi, 81G wanted",
        "M6 | {'memory':'80G'} | ",
        "M7 | {'cel':'device.productName == \"A100\"'} | spec.cel: device.productName == \"A100\" is true for no GPU; product names of the cluster: NVIDIA A100-SXM4-80GB, Tesla T4",
        "M7 | {'cel':'device.architecture == \"Hopper\"'} | spec.cel: device.architecture == \"Hopper\" is true for no GPU",
        "M7 | {'cel':'device.architecture == \"Turing\"'} | ",
        "M7 | {'cel':'device.index > 99'} | ",
        "M8 | {'count':16} | spec.count: largest node has 2 GPUs, 16 wanted",
        "M8 | {'count':2} | ",
        "M8 | {'all':true} | ",
        "M8 | {'migProfile':'1g.10gb','count':14} | ",
        "M9 | {'memoryLimit':'90Gi'} | spec.memoryLimit: 90Gi is more than the largest GPU has (79.5Gi)",
        "M9 | {'memoryLimit':'79Gi'} | ",
        "all | {'count':3,'memory':'1Ti'} | spec.memory: largest GPU has 80Gi, 1Ti wanted; spec.count: largest node has 2 GPUs, 3 wanted",
        "each | {'requests':[{'name':'a'},{'name':'b','count':3}]} | spec.requests[1].count: largest node has 2 GPUs, 3 wanted",
        "one | {'alternatives':[{'count':3},{'count':2}]} | ",
        "none | {'alternatives':[{'count':3},{'count':4}]} | spec.alternatives[0].count: largest node has 2 GPUs, 3 wanted; spec.alternatives[1].count: largest node has 2 GPUs, 4 wanted",
      })
  void aClaimIsToldWhatTheClusterHas(String rule, String spec, @Nullable String said) {
    assertThat(problems(CLUSTER, /* whole= */ true, spec))
        .as(rule)
        .isEqualTo(
            said == null
                ? ImmutableList.of()
                : Splitter.on("; spec.")
                    .splitToStream(said)
                    .map(text -> text.startsWith("spec.") ? text : "spec." + text)
                    .collect(ImmutableList.toImmutableList()));
  }

  @Test
  void nothingIsSaidWhereNothingIsKnownOrAClassHandsOutOtherDevices() {
    assertThat(problems(ImmutableList.of(), /* whole= */ true, "{'count':16}")).isEmpty();
    assertThat(problems(CLUSTER, /* whole= */ false, "{'count':16,'memory':'1Ti'}")).isEmpty();
    assertThat(problems(ImmutableList.of(node("b", T4)), true, "{'migProfile':'1g.5gb'}"))
        .containsExactly("spec.migProfile: no GPU of the cluster can be cut into MIG devices");
    assertThat(problems(ImmutableList.of(node("b", T4)), true, "{'count':2}"))
        .containsExactly("spec.count: largest node has 1 GPU, 2 wanted");
  }

  /** Before driver 550. */
  @Test
  void whereNoProfileIsKnownBeforeMigModeIsOnThatIsSaid() {
    Inventory off = node("c", A100);
    String said =
        "; MIG mode is off (an administrator switches it on: nvidia-smi -i N -mig 1, then"
            + " nvidia-smi --gpu-reset -i N)";

    assertThat(problems(ImmutableList.of(off), true, "{'migProfile':'1g.5gb'}"))
        .containsExactly(
            "spec.migProfile: no GPU of the cluster can be cut into MIG devices" + said);
    assertThat(
            problems(ImmutableList.of(off, node("d", A100_MIG)), true, "{'migProfile':'7g.80gb'}"))
        .singleElement(STRING)
        .startsWith("spec.migProfile: no GPU of the cluster offers \"7g.80gb\"; offered: 1g.10gb")
        .endsWith(said);
  }

  private static GpuModel model(int number) {
    return GpuModels.model("Model " + number, "", "Ampere", "8.0", 80);
  }

  @Test
  void asManyDevicesAreJudgedAsThereAreKindsAndTextsAreShort() {
    ImmutableList<Inventory> nodes =
        IntStream.range(0, 5_000)
            .mapToObj(i -> node("n" + i, model(i % 20), model(i % 20)))
            .collect(ImmutableList.toImmutableList());
    ClusterCapacity clusterCapacity = ClusterCapacity.of(DRIVER, nodes);
    String never = "device.productName == '" + "x".repeat(4_000) + "'";
    String spec = "{\"cel\":\"" + never + "\"}";

    assertThat(clusterCapacity.samples()).hasSize(20);
    ImmutableList<String> said = problems(nodes, /* whole= */ true, spec);
    assertThat(said).hasSize(1);
    assertThat(said.get(0)).hasSizeLessThan(500).endsWith("and 8 more");
  }

  @Test
  void ofMoreKindsThanAreLookedAtNothingIsSaid() {
    ImmutableList<Inventory> nodes =
        IntStream.range(0, 5_000)
            .mapToObj(i -> node("n" + i, model(i)))
            .collect(ImmutableList.toImmutableList());
    ClusterCapacity clusterCapacity = ClusterCapacity.of(DRIVER, nodes);

    assertThat(clusterCapacity.samples()).hasSize(256);
    assertThat(clusterCapacity.isRepresentative()).isFalse();
    assertThat(problems(nodes, /* whole= */ true, "{'memory':'1Ti'}")).isEmpty();
  }
}
