package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.SMALL;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.cel.CelDevice;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** However many conditions there are, what is remembered of them stays within its budget. */
class ConditionsMemoryTest {

  private static final int EXPRESSIONS = 1_000;
  private static final int PARTS = 80;

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final GpuSamples.Alerts alerts = new GpuSamples.Alerts();
  private final ParametersResolver parametersResolver =
      new ParametersResolver(
          DeviceSamples.DRIVER, objects, new ConditionCompiler(DeviceSamples.DRIVER, alerts));

  private DevicePredicate read(String cel) {
    objects.put("wanted", GpuClaimParametersSpec.of(1, null, cel, null, null));
    DriverParameters<GpuRequest> parameters =
        parametersResolver.read(
            GpuSamples.resourceClass(Optional.empty()),
            GpuSamples.claim("claim", GpuSamples.ofClaim("wanted")));
    return ((DriverParameters.Ready<GpuRequest>) parameters)
        .value()
        .alternatives()
        .get(0)
        .subRequests()
        .get(0)
        .devicePredicate();
  }

  private static String fat(int number) {
    return "device.brand != '%d' && device.index == 1".formatted(number)
        + " && device.brand != ''".repeat(PARTS);
  }

  private static List<Inventory> nodes(int count) {
    GpuModel[] gpus = new GpuModel[8];
    Arrays.fill(gpus, A100_MIG);
    return IntStream.range(0, count).mapToObj(i -> DeviceSamples.node("node-" + i, gpus)).toList();
  }

  @Test
  void aThousandFatConditionsThatWaitAreRememberedWithinTheBudget() {
    List<Inventory> nodes = nodes(4);
    read("device.index == 0").matching(nodes.get(0));
    long before = LiveHeap.bytes();

    List<DevicePredicate> waiting = new ArrayList<>();
    for (int i = 0; i < EXPRESSIONS; i++) {
      DevicePredicate request = read(fat(i));
      for (Inventory node : nodes) {
        request.matching(node);
        request.matching(node, slice(SMALL, i % 7));
      }
      waiting.add(request);
    }

    long budget =
        Stream.of(
                MemoryBudget.EXPRESSIONS,
                MemoryBudget.RESULTS,
                MemoryBudget.ANSWERS,
                MemoryBudget.CONDITIONS)
            .mapToLong(MemoryBudget::bytes)
            .sum();
    assertThat(budget).isEqualTo(48L << 20);
    assertThat(LiveHeap.bytes() - before).isLessThan(budget);
    assertThat(waiting).hasSize(EXPRESSIONS);
    assertThat(nodes).isNotEmpty();
  }

  @Test
  void conditionsThatShareAPlaceDoNotShareAnAnswer() {
    Inventory node = nodes(1).get(0);
    DevicePredicate first = read("device.index == 0");
    assertThat(first.matching(node)).isEqualTo(1L);

    for (int i = 1; i <= ConditionResultCache.PLACES; i++) {
      assertThat(read("device.index == 1 && %d > 0".formatted(i)).matching(node)).isEqualTo(2L);
    }
    assertThat(first.matching(node)).isEqualTo(1L);
  }

  @Test
  void whatFellOutOfMemoryIsWorkedOutAgain() {
    List<Inventory> nodes = nodes(2);
    DevicePredicate first = read(fat(0));
    long answer = first.matching(nodes.get(0));
    for (int i = 1; i < 200; i++) {
      read(fat(i)).matching(nodes.get(0));
    }

    assertThat(first.matching(nodes.get(0))).isEqualTo(answer).isEqualTo(2L);
    assertThat(first.matching(nodes.get(1))).isEqualTo(2L);
    assertThat(alerts.told).isEmpty();
  }

  @Test
  void resultsOfThousandsOfLongConditionsAreRemembered() {
    ConditionCompiler conditionCompiler = new ConditionCompiler(DeviceSamples.DRIVER, alerts);
    String failing = "device.index / (device.numaNode - device.numaNode) > %d || '%s' == ''";
    List<DeviceExpression> expressions =
        IntStream.range(0, 500)
            .mapToObj(i -> failing.formatted(i, "x".repeat(4_000)))
            .map(text -> (CompilationResult.Compiled) conditionCompiler.compile(text))
            .map(CompilationResult.Compiled::expression)
            .toList();
    Inventory node = nodes(1).get(0);
    for (int i = 0; i < 2; i++) {
      for (DeviceExpression expression : expressions) {
        for (Gpu gpu : node.gpus()) {
          conditionCompiler.matches(expression, new CelDevice(DeviceSamples.DRIVER, node, gpu));
        }
      }
    }
    assertThat(alerts.told).hasSize(expressions.size() * node.gpus().size());
  }

  @Test
  void whatConditionsAnsweredKeepsNoneOfThem() {
    List<Inventory> nodes = nodes(100);
    ConditionCompiler conditionCompiler = new ConditionCompiler(DeviceSamples.DRIVER, alerts);
    ConditionResultCache conditionResultCache = new ConditionResultCache(MemoryBudget.ALL);
    long before = LiveHeap.bytes();
    for (int i = 0; i < nodes.size() * ConditionResultCache.PLACES; i++) {
      Inventory node = nodes.get(i / ConditionResultCache.PLACES);
      assertThat(
              new GpuCondition(
                      DeviceSamples.DRIVER, ofLargeName(i), conditionCompiler, conditionResultCache)
                  .matching(node))
          .isZero();
    }

    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.ANSWERS.bytes() / 5);
    assertThat(nodes).isNotEmpty();
  }

  private static GpuCondition.Terms ofLargeName(int number) {
    return new GpuCondition.Terms(
        /* whole= */ false,
        Optional.empty(),
        ImmutableList.of(new GlobPattern(number + "x".repeat(8_000))),
        OptionalLong.empty(),
        "",
        ImmutableSet.of(),
        ImmutableList.of());
  }
}
