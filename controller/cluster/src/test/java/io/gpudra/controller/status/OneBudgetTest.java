package io.gpudra.controller.status;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static io.gpudra.controller.gpu.cel.DeviceSamples.gpu;
import static io.gpudra.controller.gpu.cel.DeviceSamples.inventory;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What one object may cost whose condition tells nodes apart. */
class OneBudgetTest {
  private static ParametersStatus judge(int nodes, String spec) {
    return judge(nodes, name -> node(name, T4, T4, T4, T4), spec);
  }

  private static ParametersStatus judge(int nodes, Function<String, Inventory> node, String spec) {
    ImmutableList<Inventory> fleet =
        IntStream.range(0, nodes)
            .mapToObj(i -> node.apply("a" + i))
            .collect(ImmutableList.toImmutableList());
    ParametersReader reader = new ParametersReader(DRIVER, new DeviceSamples.Told());
    return new ParametersEvaluator(reader, GpuNodes.of(DRIVER, fleet), ImmutableSet.of())
        .evaluate(new Gson().fromJson(spec, GpuClaimParametersSpec.class));
  }

  private static List<String> reasons(ParametersStatus status) {
    return Objects.requireNonNull(status.conditions()).stream().map(Condition::reason).toList();
  }

  @Test
  void oneObjectThatTellsNodesApartCostsOneBudgetAndNotOneOfEachNode() {
    String wide =
        IntStream.range(0, 8)
            .mapToObj(i -> "{'count':%d,'cel':\"device.node != 'x'\"}".formatted(5 + i))
            .collect(Collectors.joining(",", "{'alternatives':[", "]}"));

    ParametersStatus status = judge(2_000, wide);

    assertThat(reasons(status)).containsExactly("Accepted", "TooManyCombinations");
    assertThat(Objects.requireNonNull(status.conditions()).get(1).message())
        .matches(
            "too many combinations: 1?[0-9]{3} nodes were not judged; ask for fewer kinds of"
                + " device, or by what nodes with the same hardware have in common");
    assertThat(status.matchingDevices()).isNull();
    assertThat(status.matchingNodes()).isNull();
  }

  @Test
  void whereTheBudgetDoesForOneOfTwoReadingsNothingIsSaidToBeMissing() {
    String ofMig =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    "{'count':%d,'cel':\"device.node != 'x' && device.migProfile == '3g.40gb'\"}"
                        .formatted(5 + i))
            .collect(Collectors.joining(",", "{'alternatives':[", "]}"));

    ParametersStatus status = judge(2_000, ofMig);

    assertThat(reasons(status)).containsExactly("Accepted", "TooManyCombinations");
    assertThat(status.matchingNodes()).isNull();
  }

  @Test
  void aConditionThatReadsNamesIsPaidForAtEachPlaceOfAMigDevice() {
    String small =
        Stream.generate(() -> "{'migProfile':'1g.10gb','cel':\"device.name != device.node\"}")
            .limit(8)
            .collect(Collectors.joining(",", "{'alternatives':[", "]}"));
    ImmutableList<Gpu> gpus = ImmutableList.of(gpu(0, A100_MIG, Gpu.MigMode.ENABLED));

    ParametersStatus status = judge(2_000, name -> inventory(name, gpus), small);

    assertThat(reasons(status)).containsExactly("Accepted", "DevicesExist");
    assertThat(status.matchingNodes()).as("some were not judged").isNull();
  }

  /** A condition of as many steps as may be, which reads names. */
  private record Dear(AtomicLong evaluated) implements FixedPredicate {
    private static final int DEAR = 8_000;

    @Override
    public int steps() {
      return DEAR;
    }

    @Override
    public boolean differsBetweenPlaces() {
      return true;
    }

    @Override
    public long matching(Inventory inventory) {
      evaluated.addAndGet(inventory.gpus().size());
      return FixedPredicate.all(inventory);
    }

    @Override
    public boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
      evaluated.incrementAndGet();
      return true;
    }
  }

  @Test
  void aCountOfDevicesIsPaidForByTheStepsOfItsCondition() {
    AtomicLong evaluated = new AtomicLong();
    DeviceSubRequest slice =
        new DeviceSubRequest(
            Optional.empty(),
            1,
            /* all= */ false,
            new DeviceKind.Mig(Optional.of("1g.10gb")),
            new Dear(evaluated),
            SharingStrategy.NONE);
    ImmutableList<Gpu> gpus = ImmutableList.of(gpu(0, A100_MIG, Gpu.MigMode.ENABLED));
    ImmutableList<Inventory> fleet =
        IntStream.range(0, 2_000)
            .mapToObj(i -> inventory("a" + i, gpus))
            .collect(ImmutableList.toImmutableList());

    ParametersMatch match =
        ParametersMatch.of(
            GpuNodes.of(DRIVER, fleet),
            ImmutableList.of(
                new RequestAlternative(ImmutableList.of(slice), DeviceConstraints.ANYHOW)),
            /* apart= */ true,
            new SearchBudget());

    assertThat(Dear.DEAR * evaluated.get()).isBetween(30_000_000L, 40_000_000L);
    assertThat(match.unasked()).isPositive();
    assertThat(match.isDecided()).isFalse();
  }

  @Test
  void aPlainConditionThatTellsNodesApartIsCountedOnAllOfThem() {
    ParametersStatus status =
        judge(5_000, "{'memoryLimit':'4Gi','cel':\"device.node.startsWith('a1')\"}");

    assertThat(status.matchingNodes()).isEqualTo(1_111);
    assertThat(status.matchingDevices()).isEqualTo(4_444);
  }
}
