package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.ofClass;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What class and claim parameters together ask for. */
class ParametersResolverTest {

  /** Bit 0: A100, bit 1: T4, bit 2: A100 with MIG enabled. */
  private static final Inventory MIXED =
      DeviceSamples.inventory(
          "mixed",
          ImmutableList.of(
              DeviceSamples.gpu(0, A100, Gpu.MigMode.DISABLED),
              DeviceSamples.gpu(1, T4, Gpu.MigMode.UNSUPPORTED),
              DeviceSamples.gpu(2, A100, Gpu.MigMode.ENABLED)));

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final ParametersResolver parametersResolver =
      new ParametersResolver(
          DeviceSamples.DRIVER,
          objects,
          new ConditionCompiler(DeviceSamples.DRIVER, new GpuSamples.Alerts()));

  private DriverParameters<GpuRequest> read(
      Optional<ParametersRef> ofClass, Optional<ParametersRef> ofClaim) {
    return parametersResolver.read(resourceClass(ofClass), claim("c", ofClaim));
  }

  private GpuRequest ready(GpuClassParametersSpec ofClass, GpuClaimParametersSpec ofClaim) {
    objects.put("k", ofClass).put("c", ofClaim);
    DriverParameters<GpuRequest> read = read(ofClass("k"), ofClaim("c"));
    assertThat(read).isInstanceOf(DriverParameters.Ready.class);
    return ((DriverParameters.Ready<GpuRequest>) read).value();
  }

  private static DeviceSubRequest only(GpuRequest request) {
    return request.alternatives().get(0).subRequests().get(0);
  }

  private List<String> problems(Optional<ParametersRef> ofClass, Optional<ParametersRef> ofClaim) {
    DriverParameters<GpuRequest> read = read(ofClass, ofClaim);
    assertThat(ParametersFixture.refusal(read)).isEqualTo(Kind.INVALID_PARAMETERS);
    return ParametersFixture.problems(read);
  }

  private static GpuClaimParametersSpec spec(
      @Nullable Integer count, @Nullable String memory, @Nullable String cel) {
    return GpuClaimParametersSpec.of(count, memory, cel, null, null);
  }

  private static GpuClassParametersSpec classWith(@Nullable String cel, String... names) {
    List<DeviceSelector> selectors =
        Stream.of(names).map(name -> new DeviceSelector("gpu", name)).toList();
    return GpuClassParametersSpec.of(selectors.isEmpty() ? null : selectors, cel, null, null);
  }

  @Test
  void nothingReferencedAsksForOneWholeGpu() {
    GpuRequest request =
        ((DriverParameters.Ready<GpuRequest>) read(Optional.empty(), Optional.empty())).value();

    assertThat(only(request).count()).isEqualTo(1);
    assertThat(request.policy()).isEqualTo(AllocationPolicy.PACK);
    assertThat(request.shareable()).isTrue();
    assertThat(request.generation()).isEqualTo(OptionalLong.empty());
    assertThat(only(request).devicePredicate().text()).isEmpty();
    assertThat(only(request).devicePredicate().matching(MIXED)).isEqualTo(0b011);
  }

  static Stream<Arguments> conditions() {
    GpuClassParametersSpec any = classWith(null);
    return Stream.of(
        arguments(any, spec(4, null, null), "", 0b011),
        arguments(any, spec(1, "16Gi", null), "memory >= 16Gi", 0b011),
        arguments(any, spec(1, "16G", null), "memory >= 16G", 0b011),
        arguments(any, spec(1, "80Gi", null), "memory >= 80Gi", 0b001),
        arguments(
            any,
            spec(1, null, "device.architecture == 'Turing'"),
            "device.architecture == 'Turing'",
            0b010),
        arguments(any, spec(1, null, "device.migEnabled"), "device.migEnabled", 0b100),
        arguments(
            classWith("device.migEnabled || !device.migEnabled"),
            spec(1, null, null),
            "device.migEnabled || !device.migEnabled",
            0b111),
        arguments(classWith(null, "tesla*"), spec(1, null, null), "product tesla*", 0b010),
        arguments(
            classWith(null, "tesla*", "*A100*"),
            spec(1, null, null),
            "product tesla* or *A100*",
            0b011),
        arguments(classWith(null, "A100"), spec(1, null, null), "product A100", 0b000),
        arguments(
            classWith("device.brand == 'Nvidia'", "*"),
            spec(1, "40Gi", "device.index < 4"),
            "product * and memory >= 40Gi and device.brand == 'Nvidia' and device.index < 4",
            0b001));
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void everyConditionOfClassAndClaimMustHold(
      GpuClassParametersSpec ofClass, GpuClaimParametersSpec ofClaim, String text, long matching) {
    GpuRequest request = ready(ofClass, ofClaim);

    assertThat(only(request).devicePredicate().text()).isEqualTo(text);
    assertThat(only(request).devicePredicate().matching(MIXED)).isEqualTo(matching);
    assertThat(only(request).count()).isEqualTo(ofClaim.body().countOrDefault());
    assertThat(request.generation()).hasValue(5);
  }

  @ParameterizedTest
  @CsvSource({
    ",      ,      true",
    "true,  true,  true",
    "true,  false, false",
    "false, true,  false",
    "false, ,      false"
  })
  void bothMustAgreeToShare(
      @Nullable Boolean ofClass, @Nullable Boolean ofClaim, boolean shareable) {
    GpuRequest request =
        ready(
            GpuClassParametersSpec.of(null, null, ofClass, null),
            GpuClaimParametersSpec.of(null, null, null, ofClaim, null));

    assertThat(request.shareable()).isEqualTo(shareable);
  }

  @ParameterizedTest
  @CsvSource({",, PACK", "SPREAD,, SPREAD", ", SPREAD, SPREAD", "SPREAD, PACK, PACK"})
  void theClaimChoosesThePlacementAndTheClassForThoseThatDoNot(
      @Nullable PlacementPolicy ofClass,
      @Nullable PlacementPolicy ofClaim,
      AllocationPolicy policy) {
    GpuRequest request =
        ready(
            GpuClassParametersSpec.of(null, null, null, ofClass),
            GpuClaimParametersSpec.of(null, null, null, null, ofClaim));

    assertThat(request.policy()).isEqualTo(policy);
  }

  @Test
  void anEditIsSeenAtTheNextReading() {
    assertThat(only(ready(classWith(null), spec(1, null, null))).count()).isEqualTo(1);
    assertThat(only(ready(classWith(null), spec(2, null, null))).count()).isEqualTo(2);
  }

  @Test
  void theSameConditionIsJudgedWithTheSameMemory() {
    GpuRequest first = ready(classWith(null), spec(1, "40Gi", "device.index < 4"));
    GpuRequest second = ready(classWith(null), spec(2, "40Gi", "device.index < 4"));

    assertThat(only(second).devicePredicate()).isSameAs(only(first).devicePredicate());
  }

  @Test
  void anObjectThatIsNotThereIsMissingByName() {
    assertThat(read(Optional.empty(), ofClaim("x")))
        .isEqualTo(
            DriverParameters.refused(
                Kind.PARAMETERS_NOT_FOUND,
                ImmutableList.of("GpuClaimParameters \"x\" not found in namespace \"team-a\"")));
    assertThat(read(ofClass("x"), Optional.empty()))
        .isEqualTo(
            DriverParameters.refused(
                Kind.PARAMETERS_NOT_FOUND, ImmutableList.of("GpuClassParameters \"x\" not found")));
  }

  @Test
  void anObjectThatCannotBeReadIsWrongAndNotMissing() {
    objects.problems.put(GpuSamples.NAMESPACE + "/c", "count is no number");
    objects.problems.put("k", "spec is no object");
    assertThat(problems(Optional.empty(), ofClaim("c")))
        .containsExactly(
            "GpuClaimParameters \"c\": the stored object is malformed: count is no number");
    assertThat(problems(ofClass("k"), Optional.empty()))
        .containsExactly(
            "GpuClassParameters \"k\": the stored object is malformed: spec is no object");
  }

  static Stream<Arguments> wrongReferences() {
    return Stream.of(
        arguments(
            "gpu.resource.nvidia.com",
            "GpuClaimParameters",
            "spec.parametersRef.apiGroup: Unsupported value: \"gpu.resource.nvidia.com\":"),
        arguments(
            "gpu.resource.example.com/v2",
            "GpuClaimParameters",
            "spec.parametersRef.apiGroup: Unsupported value: \"gpu.resource.example.com/v2\":"
                + " served versions: v1alpha1"),
        arguments(
            "",
            "GpuClaimParameters",
            "spec.parametersRef.apiGroup: Required value: \"gpu.resource.example.com\""),
        arguments(
            "gpu.resource.example.com/v1alpha1",
            "GpuClaimParameter",
            "spec.parametersRef.kind: Unsupported value: \"GpuClaimParameter\":"
                + " did you mean \"GpuClaimParameters\"?"));
  }

  @ParameterizedTest
  @MethodSource("wrongReferences")
  void aWrongReferenceIsInvalid(String group, String kind, String problem) {
    Optional<ParametersRef> wrong =
        Optional.of(new ParametersRef(group, kind, Optional.of("team-a"), "c"));

    assertThat(problems(Optional.empty(), wrong)).singleElement().asString().startsWith(problem);
  }

  @Test
  void aWrongReferenceOfTheClassNamesTheClass() {
    Optional<ParametersRef> namespaced =
        Optional.of(
            new ParametersRef(GpuApi.GROUP, "GpuClassParameters", Optional.of("team-a"), "k"));

    assertThat(problems(namespaced, Optional.empty()))
        .containsExactly(
            "ResourceClass \"gpu.example.com\": parametersRef.namespace: Forbidden:"
                + " GpuClassParameters is cluster-scoped");
  }

  @Test
  void whatIsWrongInAnObjectIsToldWithItsPath() {
    objects.put("c", spec(0, "16", null)).put("typo", spec(1, null, "device.memry > 1"));

    assertThat(problems(Optional.empty(), ofClaim("c")))
        .hasSize(2)
        .anyMatch(problem -> problem.startsWith("spec.count:"))
        .anyMatch(problem -> problem.startsWith("spec.memory:"));
    assertThat(problems(Optional.empty(), ofClaim("typo")))
        .containsExactly("spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?");
  }

  @Test
  void whatIsWrongInTheClassParametersNamesTheObject() {
    objects.put("k", classWith("device.memory"));

    assertThat(problems(ofClass("k"), Optional.empty()))
        .containsExactly(
            "GpuClassParameters \"k\": spec.cel: must yield true or false, yields int");
  }
}
