package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.NVLINK;
import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.found;
import static io.gpudra.controller.allocation.placement.Worlds.link;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.controller.allocation.placement.Worlds.wish;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Devices that agree in something. */
class TogetherTest {

  private static DeviceConstraints in(MatchAttribute attribute) {
    return new DeviceConstraints(Optional.empty(), ImmutableSet.of(attribute));
  }

  private static GpuModel model(String name, String brand, String architecture, String capability) {
    return GpuModels.model(name, brand, architecture, capability, 1);
  }

  private static Gpu gpu(int index, GpuModel model, long memory, String root, int numaNode) {
    return new Gpu.Builder("GPU-" + index, index, model, memory)
        .pcieRoot(root)
        .numaNode(numaNode)
        .mig(cuttable())
        .build();
  }

  /** GPUs that differ in nothing but what is made of a word. */
  private static ImmutableList<Gpu> differingIn(MatchAttribute attribute, String... words) {
    Function<String, GpuModel> model =
        word ->
            switch (attribute) {
              case PRODUCT_NAME -> model(word, "b", "a", "8.0");
              case BRAND -> model("p", word, "a", "8.0");
              case ARCHITECTURE -> model("p", "b", word, "8.0");
              case CUDA_COMPUTE_CAPABILITY -> model("p", "b", "a", word);
              default -> model("p", "b", "a", "8.0");
            };
    return IntStream.range(0, words.length)
        .mapToObj(
            i ->
                gpu(
                    i,
                    model.apply(words[i]),
                    attribute == MatchAttribute.MEMORY ? words[i].length() : 1,
                    attribute == MatchAttribute.PCIE_ROOT ? words[i] : "r",
                    attribute == MatchAttribute.NUMA_NODE ? words[i].length() - 1 : 0))
        .collect(ImmutableList.toImmutableList());
  }

  private static Placement two(MatchAttribute attribute, String... words) {
    return place(
        node(differingIn(attribute, words)), claim("a", alternative(in(attribute), whole(2))));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"PARENT_UUID", "MIG_PROFILE"})
  void gpusThatAgreeAreTaken(MatchAttribute attribute) {
    assertThat(Worlds.names(two(attribute, "1", "22", "1"), "a")).containsExactly("gpu-0", "gpu-2");
    assertThat(two(attribute, "1", "22", "333")).isInstanceOf(Placement.DoesNotFit.class);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"PARENT_UUID", "MIG_PROFILE", "MEMORY"})
  void whatIsNotKnownAgreesWithNothing(MatchAttribute attribute) {
    assertThat(two(attribute, "", "", "1")).isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void aMachineThatKnowsNoNumaNodesIsOne() {
    assertThat(Worlds.names(two(MatchAttribute.NUMA_NODE, "", ""), "a")).hasSize(2);
  }

  static Stream<Arguments> parts() {
    DeviceSubRequest any = wish(2, new DeviceKind.Mig(Optional.empty()));
    return Stream.of(
        arguments(MatchAttribute.MEMORY, mig("1g.10gb", 1), mig("2g.10gb", 1), true),
        arguments(MatchAttribute.MEMORY, mig("1g.5gb", 1), mig("2g.10gb", 1), false),
        arguments(MatchAttribute.MIG_PROFILE, mig("1g.10gb", 1), mig("2g.10gb", 1), false),
        arguments(MatchAttribute.MIG_PROFILE, mig("1g.10gb", 1), any, true),
        arguments(MatchAttribute.MIG_PROFILE, whole(1), whole(1), false),
        arguments(MatchAttribute.PARENT_UUID, whole(1), mig("1g.5gb", 1), false),
        arguments(MatchAttribute.PARENT_UUID, mig("1g.5gb", 1), mig("2g.10gb", 1), true));
  }

  @ParameterizedTest
  @MethodSource("parts")
  void migDevicesAgreeInWhatTheyThemselvesHave(
      MatchAttribute attribute, DeviceSubRequest first, DeviceSubRequest second, boolean fits) {
    assertThat(
            place(a100s(2), claim("a", alternative(in(attribute), first, second)))
                instanceof Placement.Fits)
        .isEqualTo(fits);
  }

  @Test
  void wholeGpusDoNotHaveTheMemoryOfTheirMigDevices() {
    Gpu large = Worlds.gpu(0, A100, cuttable());
    assertThat(
            place(
                node(ImmutableList.of(large, gpu(1, A100, 10 * GpuModels.GIB, "r", 0))),
                claim(
                    "a",
                    alternative(in(MatchAttribute.MEMORY), whole(1, 0b01), mig("2g.10gb", 1)))))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void whoNeedsNoOtherGpuLeavesThoseThatAreConnected() {
    NodeLedger six =
        node(
            IntStream.range(0, 6)
                .mapToObj(i -> Worlds.gpu(i, A100, cuttable()))
                .collect(ImmutableList.toImmutableList()),
            link("GPU-0", "GPU-1"),
            link("GPU-0", "GPU-2"),
            link("GPU-3", "GPU-4"));

    assertThat(Worlds.names(place(six, claim("a", alternative(NVLINK, whole(1)))), "a"))
        .containsExactly("gpu-5");
  }

  private static NodeLedger cutInto(MigState.Device... devices) {
    MigState cut =
        new MigState(Gpu.MigMode.ENABLED, /* switchable= */ false, ImmutableList.copyOf(devices));
    return node(ImmutableList.of(Worlds.gpu(0, A100, cut)));
  }

  @Test
  void migDevicesThatAreThereAgreeLikeThoseThatAreMade() {
    DeviceSubRequest any = wish(2, new DeviceKind.Mig(Optional.empty()));
    ClaimRequest alike = claim("a", alternative(in(MatchAttribute.MIG_PROFILE), any));

    assertThat(
            Worlds.names(
                place(cutInto(found("3g.20gb", 0, false), found("3g.20gb", 4, false)), alike), "a"))
        .hasSize(2);
    assertThat(place(cutInto(found("3g.20gb", 0, false), found("2g.10gb", 4, false)), alike))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void aTopologyOfMoreWaysThanCanBeLookedAtIsToldAsTooHard() {
    NodeLedger forged = NodeLedger.of(Worlds.linkedInTooManyWays(60));

    assertThat(Worlds.reason(place(forged, claim("a", alternative(NVLINK, whole(21)))), "a"))
        .extracting("kind.label")
        .isEqualTo("tooManyCombinations");
    assertThat(Worlds.names(place(forged, claim("a", alternative(NVLINK, whole(20)))), "a"))
        .hasSize(20);
  }
}
