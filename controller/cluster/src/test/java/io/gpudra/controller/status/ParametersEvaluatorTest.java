package io.gpudra.controller.status;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static io.gpudra.controller.gpu.cel.DeviceSamples.gpu;
import static io.gpudra.controller.gpu.cel.DeviceSamples.inventory;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of parameters (api.md 2.8 and 7.1). */
class ParametersEvaluatorTest {
  private static final MigState SWITCHABLE =
      new MigState(Gpu.MigMode.DISABLED, /* switchable= */ true, ImmutableList.of());

  /** Two nodes of four A100, two and two of which are linked, and one of a T4. */
  private static final ImmutableList<Inventory> CLUSTER =
      ImmutableList.of(a100s("worker-1"), a100s("worker-2"), node("worker-3", T4));

  private final ParametersReader reader = new ParametersReader(DRIVER, new DeviceSamples.Told());

  private static Inventory a100s(String name) {
    return inventory(
        name,
        IntStream.range(0, 4)
            .mapToObj(i -> gpu(i, A100_MIG, SWITCHABLE))
            .collect(ImmutableList.toImmutableList()),
        new GpuLink(ImmutableSet.of("GPU-0", "GPU-1"), GpuLink.Type.NVLINK, 4),
        new GpuLink(ImmutableSet.of("GPU-2", "GPU-3"), GpuLink.Type.NVLINK, 4));
  }

  private ParametersStatus judge(List<Inventory> cluster, String spec) {
    return new ParametersEvaluator(reader, GpuNodes.of(DRIVER, cluster), ImmutableSet.of())
        .evaluate(new Gson().fromJson(spec, GpuClaimParametersSpec.class));
  }

  private ParametersStatus judgeClass(List<Inventory> cluster, String spec) {
    return new ParametersEvaluator(reader, GpuNodes.of(DRIVER, cluster), ImmutableSet.of())
        .evaluate(new Gson().fromJson(spec, GpuClassParametersSpec.class));
  }

  private static Optional<Condition> condition(ParametersStatus status, String type) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(one -> type.equals(one.type()))
        .findFirst();
  }

  /** {@code True DevicesExist}, with its message behind a colon. */
  private static String shown(ParametersStatus status, String type) {
    return condition(status, type)
        .map(
            one ->
                one.status()
                    + " "
                    + one.reason()
                    + (one.message() == null ? "" : ": " + one.message()))
        .orElse("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "M1 | {'cel':'device.memry > 1'} | InvalidExpression: spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?",
        "M2 | {'cel':\"device.memory >= '40Gi'\"} | InvalidExpression: spec.cel: 15: no operator >= for int and string; compare sizes with quantity('40Gi')",
        "M3 | {'cel':'device.index'} | InvalidExpression: spec.cel: must yield true or false, yields int",
        "M4 | {'requests':[{'name':'a'},{'name':'b','cel':'device.index'}]} | InvalidExpression: spec.requests[1].cel: must yield true or false, yields int",
        "M10 | {'count':2,'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'3':'1Gi'}}}} | InvalidField: spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[3]: the claim has 2 devices (0 and 1)",
        "M11 | {'memoryLimit':'4Gi','sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'10Gi'}}} | InvalidField: spec.sharing.mpsConfig.defaultPinnedDeviceMemoryLimit: 10Gi is more than memoryLimit 4Gi",
        "V1 | {'count':2,'all':true} | ConflictingFields: spec: Invalid value: \"object\": count and all exclude each other",
        "field | {'count':0} | InvalidField: spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1",
        "all at once | {'mode':'shared','cel':'device.index'} | ConflictingFields: spec: Invalid value: \"object\": mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such as 4Gi / spec.cel: must yield true or false, yields int",
        "with the class of nobody | {'memoryLimit':'4Gi','sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':2}}} | ConflictingFields: spec.sharing.strategy: SpacePartitioning divides a whole GPU; it cannot be combined with mode: shared",
      })
  void whatIsWrongIsToldLineByLineAndNothingElseIs(String row, String spec, String said) {
    ParametersStatus status = judge(CLUSTER, spec);

    assertThat(shown(status, "Valid")).as(row).isEqualTo("False " + said.replace(" / ", "\n"));
    assertThat(status.conditions()).hasSize(1);
    assertThat(status.summary()).isNull();
    assertThat(status.matchingDevices()).isNull();
    assertThat(status.matchingNodes()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "nothing | {} | 1 GPU | 9 | 3",
        "count | {'count':4} | 4 GPUs | 9 | 2",
        "memory | {'count':2,'topology':'nvlink','memoryPerGpu':'40Gi'} | 2 GPUs >=40Gi nvlink | 8 | 2",
        "capabilities | {'memory':'16Gi','capabilities':['tensorCores']} | 1 GPU >=16Gi tensorCores | 9 | 3",
        "once | {'count':2,'topology':'nvlink','capabilities':['nvlink']} | 2 GPUs nvlink | 8 | 2",
        "preferred | {'count':4,'topology':'nvlink','topologyPolicy':'Preferred'} | 4 GPUs nvlink preferred | 9 | 2",
        "same | {'count':2,'sameAttribute':['pcieRoot']} | 2 GPUs same pcieRoot | 9 | 2",
        "all | {'all':true} | all GPUs | 9 | 3",
        "share | {'memoryLimit':'4Gi'} | 4Gi of 1 GPU | 9 | 3",
        "compute | {'memoryLimit':'4Gi','millicores':500} | 4Gi and 500m of 1 GPU | 9 | 3",
        "MIG | {'migProfile':'1g.10gb'} | 1 MIG 1g.10gb | 24 | 2",
        "MIG | {'migProfile':'3g.40gb','count':4} | 4 MIG 3g.40gb | 8 | 2",
        "of a MIG class | {'cel':\"device.migProfile == '3g.40gb'\"} | 1 GPU where device.migProfile == '3g.40gb' | 8 | 2",
        "two | {'requests':[{'name':'a','memory':'40Gi'},{'name':'b'}]} | 2 requests: 1 GPU >=40Gi, 1 GPU | 9 | 2",
        "or | {'alternatives':[{'count':9},{'memory':'40Gi'}]} | 2 alternatives: 9 GPUs, 1 GPU >=40Gi | 9 | 2",
        "condition | {'cel':\"device.architecture == 'Turing'\"} | 1 GPU where device.architecture == 'Turing' | 1 | 1",
        "one node | {'cel':\"device.node == 'worker-2'\"} | 1 GPU where device.node == 'worker-2' | 4 | 1",
        "inside | {'migProfile':'1g.10gb','insideClaim':'gpu'} | 1 MIG 1g.10gb inside gpu | 24 | 2",
      })
  void whatIsThereForItIsCounted(String row, String spec, String summary, int devices, int nodes) {
    ParametersStatus status = judge(CLUSTER, spec);

    assertThat(shown(status, "Valid")).as(row).isEqualTo("True Accepted");
    assertThat(shown(status, "Satisfiable")).as(row).isEqualTo("True DevicesExist");
    assertThat(status.summary()).isEqualTo(summary);
    assertThat(status.matchingDevices()).isEqualTo(devices);
    assertThat(status.matchingNodes()).isEqualTo(nodes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "M5 | {'migProfile':'1g.5gb'} | 0 | NoMatchingDevice: spec.migProfile: no GPU of the cluster offers \"1g.5gb\"; offered: 1g.10gb, 1g.10gb+me, 3g.40gb; did you mean \"1g.10gb\"?",
        "M6 | {'memory':'4096Gi'} | 0 | NoMatchingDevice: spec.memory: largest GPU has 80Gi, 4096Gi wanted / 9 GPUs match without memory >= 4096Gi; largest is 80Gi",
        "M7 | {'cel':\"device.productName == 'A100'\"} | 0 | NoMatchingDevice: spec.cel: device.productName == 'A100' is true for no GPU; product names of the cluster: NVIDIA A100-SXM4-80GB, Tesla T4 / 9 GPUs match without device.productName == 'A100'",
        "M8 | {'count':16} | 9 | NoMatchingNode: spec.count: largest node has 4 GPUs, 16 wanted",
        "M9 | {'memoryLimit':'90Gi'} | 9 | NoMatchingNode: spec.memoryLimit: 90Gi is more than the largest GPU has (79.5Gi)",
        "nearest | {'memory':'40Gi','cel':\"device.architecture == 'Turing'\"} | 0 | NoMatchingDevice: 8 GPUs match without device.architecture == 'Turing'",
        "nearest | {'memory':'81Gi','cel':\"device.architecture == 'Turing'\"} | 0 | NoMatchingDevice: spec.memory: largest GPU has 80Gi, 81Gi wanted / 1 GPU matches without memory >= 81Gi; largest is 80Gi",
        "linked | {'count':4,'topology':'nvlink'} | 9 | NoMatchingNode: nearest is worker-1: 2 of 4 free GPUs are NVLink-connected",
        "mixed | {'count':2,'cel':\"device.architecture == 'Turing'\"} | 1 | NoMatchingNode: nearest is worker-3: 1 of 1 GPU matches device.architecture == 'Turing', 2 wanted",
        "other node | {'cel':\"device.node == 'worker-9'\"} | 0 | NoMatchingDevice: 9 GPUs match without device.node == 'worker-9'",
      })
  void whatIsMissingIsToldLineByLine(String row, String spec, int devices, String said) {
    ParametersStatus status = judge(CLUSTER, spec);

    assertThat(shown(status, "Valid")).as(row).isEqualTo("True Accepted");
    assertThat(shown(status, "Satisfiable"))
        .as(row)
        .isEqualTo("False " + said.replace(" / ", "\n"));
    assertThat(status.summary()).isNotEmpty();
    assertThat(status.matchingDevices()).isEqualTo(devices);
    assertThat(status.matchingNodes()).isZero();
  }

  @Test
  void anA100WhoseMigModeIsOffIsToldWithWhatAnAdministratorDoes() {
    ImmutableList<Gpu> off =
        ImmutableList.of(
            gpu(0, A100_MIG, Gpu.MigMode.DISABLED), gpu(1, A100_MIG, Gpu.MigMode.DISABLED));

    ImmutableList<Inventory> cluster = ImmutableList.of(inventory("worker-1", off));

    assertThat(shown(judge(cluster, "{'migProfile':'1g.10gb'}"), "Satisfiable"))
        .isEqualTo(
            "False NoMatchingDevice: nearest is worker-1: 1g.10gb fits on no GPU: MIG mode is off on"
                + " 2 GPUs (an administrator switches it on: nvidia-smi -i N -mig 1, then nvidia-smi"
                + " --gpu-reset -i N)");
    assertThat(
            shown(
                judgeClass(cluster, "{'deviceSelector':[{'type':'mig','name':'*'}]}"),
                "Satisfiable"))
        .startsWith(
            "False NoMatchingDevice: nearest is worker-1: MIG device fits on no GPU: MIG mode is off on"
                + " 2 GPUs");
  }

  @Test
  void withoutNodesNothingIsKnown() {
    ParametersStatus status = judge(ImmutableList.of(node("empty")), "{'count':2}");

    assertThat(shown(status, "Valid")).isEqualTo("True Accepted");
    assertThat(shown(status, "Satisfiable"))
        .isEqualTo("Unknown NoInventory: no node has published a GPU");
    assertThat(status.summary()).isEqualTo("2 GPUs");
    assertThat(status.matchingDevices()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "nothing | {} | 9 | 3 | True DevicesExist",
        "products | {'deviceSelector':[{'type':'gpu','name':'*a100*'}]} | 8 | 2 | True DevicesExist",
        "MIG | {'deviceSelector':[{'type':'mig','name':'*'}]} | 24 | 2 | True DevicesExist",
        "condition | {'cel':'device.index > 1'} | 4 | 2 | True DevicesExist",
        "shared | {'mode':'shared'} | 9 | 3 | True DevicesExist",
        "monitor | {'monitor':true,'namespaceSelector':{'matchLabels':{'a':'b'}}} | 9 | 3 | True DevicesExist",
        "limits | {'limits':{'devicesPerClaim':1},'memoryOvercommitPercent':150,'mode':'shared'} | 9 | 3 | True DevicesExist",
        "none | {'deviceSelector':[{'type':'gpu','name':'H100'}]} | 0 | 0 | False NoMatchingDevice: 9 GPUs match without product H100",
      })
  void ofAClassItIsToldWhatItHas(String row, String spec, int devices, int nodes, String said) {
    ParametersStatus status = judgeClass(CLUSTER, spec);

    assertThat(shown(status, "Valid")).as(row).isEqualTo("True Accepted");
    assertThat(shown(status, "Satisfiable")).as(row).isEqualTo(said);
    assertThat(status.matchingDevices()).isEqualTo(devices);
    assertThat(status.matchingNodes()).isEqualTo(nodes);
    assertThat(status.summary()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'monitor':true} | ConflictingFields: spec: Invalid value: \"object\": monitor: true shows every GPU of a node; say in namespaceSelector which namespaces may use the class",
        "{'cel':'device.memry > 1'} | InvalidExpression: spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?",
        "{'limits':{'devicesPerClaim':0},'cel':'device.index'} | InvalidField: spec.limits.devicesPerClaim: Invalid value: 0: spec.limits.devicesPerClaim in body should be greater than or equal to 1 / spec.cel: must yield true or false, yields int",
      })
  void ofAClassItIsToldWhatIsWrong(String spec, String said) {
    assertThat(shown(judgeClass(CLUSTER, spec), "Valid"))
        .isEqualTo("False " + said.replace(" / ", "\n"));
  }

  /** Neither grants nor maintenance, nor a plugin that is away for a while, change it. */
  @Test
  void whoeverUsesTheNodesTheSameIsSaid() {
    DeviceTaint taint = Taints.taint("k", "v", DeviceTaint.Effect.NO_SCHEDULE, "fan");
    MigState.Device made =
        GrantFixture.migDevice(
            "MIG-1", DeviceSamples.slice(DeviceSamples.HALF, 0), new ClaimUid("c"));
    ImmutableList<Inventory> used =
        CLUSTER.stream()
            .map(
                node ->
                    NodeFixture.like(node)
                        .each(gpu -> gpu.with(gpu.mig().with(ImmutableList.of(made))))
                        .each(gpu -> gpu.with(ImmutableList.of(taint)))
                        .service(new Inventory.Service.NotReady("Stopped"))
                        .inventory())
            .collect(ImmutableList.toImmutableList());

    assertThat(GpuNodes.of(DRIVER, used).isAs(GpuNodes.of(DRIVER, CLUSTER))).isTrue();
    for (String spec : List.of("{}", "{'migProfile':'3g.40gb'}", "{'memoryLimit':'4Gi'}")) {
      assertThat(judge(used, spec)).isEqualTo(judge(CLUSTER, spec));
    }
  }

  @Test
  void asManyNodesAreAskedAsThereAreKinds() {
    ImmutableList<Inventory> nodes =
        IntStream.range(0, 5_000)
            .mapToObj(i -> i % 5 == 0 ? node("t" + i, T4) : renamed(a100s("a"), i))
            .collect(ImmutableList.toImmutableList());
    GpuNodes gpuNodes = GpuNodes.of(DRIVER, nodes);

    assertThat(gpuNodes.kinds()).extracting(GpuNodes.Kind::nodes).containsExactly(4_000, 1_000);
    assertThat(judge(nodes, "{'count':4}").matchingNodes()).isEqualTo(4_000);
    assertThat(judge(nodes, "{'cel':\"device.uuid == 'GPU-7-2'\"}").matchingNodes()).isOne();
    assertThat(gpuNodes.isAs(GpuNodes.of(DRIVER, nodes.subList(1, 5_000)))).isFalse();
    assertThat(gpuNodes.isAs(GpuNodes.of(DRIVER, nodes.reverse()))).isTrue();
  }

  private static Inventory renamed(Inventory node, int number) {
    return inventory(
        "a" + number,
        node.gpus().stream()
            .map(gpu -> DeviceSamples.gpu(gpu.index(), gpu.model(), gpu.mig()))
            .map(gpu -> of(gpu, gpu.uuid().replace("GPU", "GPU-" + number)))
            .collect(ImmutableList.toImmutableList()),
        node.links().stream()
            .map(
                link ->
                    new GpuLink(
                        link.gpuUuids().stream()
                            .map(uuid -> uuid.replace("GPU", "GPU-" + number))
                            .collect(ImmutableSet.toImmutableSet()),
                        link.type(),
                        link.lanes()))
            .toArray(GpuLink[]::new));
  }

  private static Gpu of(Gpu gpu, String uuid) {
    return gpu.toBuilder().uuid(uuid).build();
  }

  /** Half a character would come back from the server as another one. */
  @Test
  void textsAreBoundedAndStayWhatTheyAre() {
    String face = "😀";
    String cel = "device.brand == '" + face.repeat(2_000) + "' || device.index == 99";
    String never = "{\"cel\":\"" + cel + "\",\"count\":2}";

    ParametersStatus status = judge(CLUSTER, never);

    assertThat(status.summary()).hasSizeLessThanOrEqualTo(128).endsWith("…");
    for (String entry : Splitter.on('\n').split(shown(status, "Satisfiable"))) {
      assertThat(entry).hasSizeLessThan(1_100);
    }
    assertThat(
            StoredStatus.of(new Gson().fromJson(utf8(status), ParametersStatus.class))
                .isEqualTo(status))
        .isTrue();
    for (int most = 2; most < 9; most++) {
      String cut = StatusTexts.bounded(face.repeat(9), most);
      assertThat(new String(cut.getBytes(UTF_8), UTF_8)).isEqualTo(cut).hasSize(most);
    }
  }

  private static String utf8(ParametersStatus status) {
    byte[] wire = new Gson().toJson(status).getBytes(UTF_8);
    return new String(wire, UTF_8);
  }

  @Test
  void manyMistakesMakeNoLongMessage() {
    String requests =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    "{'name':'%s','capabilities':[%s],'cel':'device.%s'}"
                        .formatted(
                            "x".repeat(1_000),
                            IntStream.range(0, 9)
                                .mapToObj(n -> "'" + "y".repeat(50_000) + n + "'")
                                .collect(Collectors.joining(",")),
                            "z".repeat(20_000)))
            .collect(Collectors.joining(","));

    @Nullable String message =
        condition(judge(CLUSTER, "{'requests':[" + requests + "]}"), "Valid")
            .orElseThrow()
            .message();

    assertThat(message).hasSizeLessThanOrEqualTo(ParametersStatus.MAX_MESSAGE);
  }
}
