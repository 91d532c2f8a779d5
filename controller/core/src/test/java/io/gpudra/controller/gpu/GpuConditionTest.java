package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.HALF;
import static io.gpudra.controller.gpu.cel.DeviceSamples.MEDIA;
import static io.gpudra.controller.gpu.cel.DeviceSamples.SMALL;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.ConditionResultCache.Question;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which GPUs, and which MIG devices on them, satisfy a condition. */
class GpuConditionTest {

  /** All but the last can be cut. */
  private static final Inventory NODE =
      DeviceSamples.inventory(
          "worker-1",
          ImmutableList.of(
              DeviceSamples.gpu(0, A100_MIG, Gpu.MigMode.DISABLED),
              DeviceSamples.gpu(1, A100_MIG, Gpu.MigMode.ENABLED),
              DeviceSamples.gpu(2, A100, Gpu.MigMode.UNSUPPORTED)));

  private final GpuSamples.Alerts alerts = new GpuSamples.Alerts();
  private final ConditionCompiler conditionCompiler =
      new ConditionCompiler(DeviceSamples.DRIVER, alerts);
  private final ConditionResultCache conditionResultCache =
      new ConditionResultCache(MemoryBudget.ALL);

  private GpuCondition condition(
      OptionalLong memory, ImmutableSet<String> capabilities, String... cel) {
    GpuCondition.Terms terms =
        new GpuCondition.Terms(
            /* whole= */ true,
            Optional.empty(),
            ImmutableList.of(),
            memory,
            "",
            capabilities,
            Stream.of(cel).map(this::compiled).collect(ImmutableList.toImmutableList()));
    return new GpuCondition(DeviceSamples.DRIVER, terms, conditionCompiler, conditionResultCache);
  }

  private GpuCondition condition(String... cel) {
    return condition(OptionalLong.empty(), ImmutableSet.of(), cel);
  }

  private DeviceExpression compiled(String text) {
    return ((CompilationResult.Compiled) conditionCompiler.compile(text)).expression();
  }

  private static boolean matches(GpuCondition condition, int gpu, MigProfile profile, int start) {
    return condition.matches(NODE, gpu, slice(profile, start), "");
  }

  @Test
  void aMigDeviceIsJudgedByItsOwnMemoryAndProfile() {
    GpuCondition big = condition(OptionalLong.of(40L << 30), ImmutableSet.of());
    GpuCondition named = condition("device.migProfile == '1g.10gb'");

    assertThat(matches(big, 0, HALF, 4)).isTrue();
    assertThat(matches(big, 0, SMALL, 4)).isFalse();
    assertThat(matches(named, 0, SMALL, 1)).isTrue();
    assertThat(matches(named, 1, SMALL, 1)).isTrue();
    assertThat(matches(named, 0, MEDIA, 1)).isFalse();
  }

  @Test
  void whereTheModelHasNoSuchProfileNothingMatches() {
    assertThat(matches(condition(), 0, SMALL, 0)).isTrue();
    assertThat(matches(condition(), 2, SMALL, 0)).isFalse();
    assertThat(matches(condition(), 64, SMALL, 0)).isFalse();
  }

  @Test
  void onlyANameTellsOnePlaceFromAnother() {
    GpuCondition third = condition("device.name == 'gpu-0-mig-1g.10gb-3'");

    assertThat(matches(third, 0, SMALL, 0)).isFalse();
    assertThat(matches(third, 0, SMALL, 3)).isTrue();
    assertThat(matches(third, 1, SMALL, 3)).isFalse();
    assertThat(matches(third, 0, MEDIA, 3)).isFalse();
    assertThat(third.differsBetweenPlaces()).isTrue();
    assertThat(condition("device.index == 0 && device.uuid != 'MIG-1'").differsBetweenPlaces())
        .isFalse();
  }

  @Test
  void profilesThatShareAPlaceInMemoryDoNotShareAnAnswer() {
    ImmutableList<MigProfile> many =
        IntStream.rangeClosed(1, 300)
            .mapToObj(
                i ->
                    GpuModels.sized(
                        1, GpuModels.profile("1g.%dgb".formatted(i), 1, 1, 7, 0, 1, 2, 3, 4, 5, 6)))
            .collect(ImmutableList.toImmutableList());
    GpuModel model = GpuModels.cut(GpuModels.model("", "", "", "", 1), many);
    Inventory node = DeviceSamples.node("worker-3", model);
    GpuCondition even = condition("device.nominalMemory / quantity('1Gi') % 2 == 0");

    for (int i = 0; i < many.size(); i++) {
      assertThat(even.matches(node, 0, slice(many.get(i), 0), ""))
          .as(many.get(i).name())
          .isEqualTo(i % 2 == 1);
    }
  }

  @Test
  void computeInstancesOfOneGpuInstanceDiffer() {
    GpuCondition one = condition("device.migProfile == '1c.3g.40gb'");
    GpuCondition second = condition("device.name == 'gpu-0-mig-1c.3g.40gb-4-1'");

    assertThat(one.matches(NODE, 0, instance(0, 1), "")).isTrue();
    assertThat(one.matches(NODE, 0, instance(0, 2), "")).isFalse();
    assertThat(matches(one, 0, HALF, 4)).isFalse();
    assertThat(second.matches(NODE, 0, instance(0, 1), "")).isFalse();
    assertThat(second.matches(NODE, 0, instance(1, 1), "")).isTrue();
  }

  private static Part.Slice instance(int start, int compute) {
    return new Part.Slice("3g.40gb", 4, 4, 3, Optional.of(new Part.Instance(start, compute)));
  }

  @Test
  void oneThatIsThereIsToldFromOthersByItsUuid() {
    GpuCondition other = condition("device.uuid != 'MIG-1'");

    assertThat(other.matches(NODE, 0, slice(SMALL, 0), "MIG-1")).isFalse();
    assertThat(other.matches(NODE, 0, slice(SMALL, 0), "MIG-2")).isTrue();
    assertThat(matches(other, 0, SMALL, 0)).isTrue();
  }

  @Test
  void placesThatAgreeInWhatIsReadAreJudgedOnce() {
    GpuCondition failing = condition("device.memory / (device.numaNode - device.numaNode) > 1");
    for (int gpu = 0; gpu < 2; gpu++) {
      for (int start : SMALL.starts()) {
        matches(failing, gpu, SMALL, start);
      }
    }
    assertThat(alerts.told).hasSize(1);

    matches(failing, 0, HALF, 0);
    assertThat(alerts.told).hasSize(2);
  }

  @Test
  void conditionsWithoutAPartLeaveWhatOthersAnsweredInItsPlace() {
    GpuCondition first = condition("device.index == 0", "device.brand != ''");
    long answer = first.matching(NODE);
    for (int i = 0; i < ConditionResultCache.PLACES; i++) {
      first.relaxed().forEach(relaxed -> relaxed.rest().matching(NODE));
    }

    assertThat(conditionResultCache.find(new Question(0, "", 0), NODE)).hasValue(answer);
    assertThat(first.relaxed())
        .extracting(one -> one.rest().matching(NODE))
        .containsExactly(5L, 1L);
    assertThat(first.relaxed().get(1).rest().matches(NODE, 0, slice(SMALL, 0), "MIG-1")).isTrue();
    assertThat(first.relaxed().get(1).rest().matches(NODE, 1, slice(SMALL, 0), "MIG-1")).isFalse();
  }

  @Test
  void aShortConditionCostsASearchNothingAndADearOneItsSteps() {
    String many = IntStream.range(0, 20).boxed().toList().toString();
    String nested =
        "%s.all(a, %s.all(b, device.%%s != 99 && a != 77 && b != 77))".formatted(many, many);

    assertThat(condition("device.index < 4").steps()).isZero();
    assertThat(condition("device.productName.matches('A100|H100')").steps()).isZero();
    assertThat(condition("device.uuid != 'GPU-1'").steps()).isEqualTo(500);
    assertThat(condition(nested.formatted("index")).steps()).isBetween(2_000, 8_000);
    assertThat(condition(nested.formatted("minor")).steps()).isBetween(2_000, 8_000);
    assertThat(condition("device.index < 4 || '%s' == ''".formatted("x".repeat(4_000))).steps())
        .isGreaterThan(3_500);
  }

  @Test
  void allCapabilitiesAreNeeded() {
    GpuCondition linked = condition(OptionalLong.empty(), ImmutableSet.of("nvlink", "tensorCores"));
    GpuCondition newer = condition(OptionalLong.empty(), ImmutableSet.of("tensorCores", "fp8"));

    assertThat(linked.matching(NODE)).isEqualTo(0b101);
    assertThat(newer.matching(NODE)).isZero();
    assertThat(matches(linked, 0, SMALL, 0)).isFalse();
  }

  @Test
  void aGpuForMigDevicesIsWholeOnlyIfItCanBeAgainOrTheConditionSpeaksOfIt() {
    MigState switchable = new MigState(Gpu.MigMode.ENABLED, true, ImmutableList.of());
    Inventory node =
        DeviceSamples.inventory(
            "worker-2",
            ImmutableList.of(
                DeviceSamples.gpu(0, A100_MIG, switchable),
                DeviceSamples.gpu(1, A100_MIG, Gpu.MigMode.ENABLED)));

    assertThat(condition().matching(node)).isEqualTo(0b01);
    assertThat(condition("device.migEnabled || true").matching(node)).isEqualTo(0b11);
    assertThat(condition("device.attributes['gpu.nvidia.com'].migEnabled").matching(node))
        .isEqualTo(0b11);
  }
}
