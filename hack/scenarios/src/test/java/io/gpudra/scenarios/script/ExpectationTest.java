package io.gpudra.scenarios.script;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ExpectationTest {

  private static final YAMLMapper YAML = new YAMLMapper();

  private static final ImmutableSetMultimap<String, String> T4 =
      ImmutableSetMultimap.of("model", "T4");

  private static final ImmutableMap<String, String> VARIABLES =
      ImmutableMap.of(
          "GPU_DEVICE_3", "gpu-3",
          "GPU_DEVICE_3_UUID", "GPU-x",
          "GPU_DEVICE_3_SHARING_STRATEGY", "TimeSlicing",
          "GPU_NODE_NAME", "worker-1",
          "PATH", "/bin");

  private static final Observed.Container FIRST = container("worker-0", "gpu-0");
  private static final Observed.Container SECOND = container("worker-0", "gpu-1");

  @Test
  void theRightNumberOfGPUsIsNoDifference() {
    assertThat(containers("a/c", gpus(1)).differences(seen("a/c", FIRST))).isEmpty();
  }

  @Test
  void anotherNumberOfGPUsIsToldWithWhatWasSeen() {
    assertThat(containers("a/c", gpus(4)).differences(seen("a/c", FIRST)))
        .containsExactly("container a/c: expected 4 GPUs, saw gpu-0 on worker-0");
  }

  @Test
  void aContainerThatDoesNotRunIsADifferenceAlsoWhenItShouldSeeNothing() {
    assertThat(containers("a/c", gpus(0)).differences(Observed.NOTHING))
        .containsExactly("container a/c: expected to run, does not");
  }

  @Test
  void anotherModelIsADifference() {
    assertThat(containers("a/c", wanted("{gpus: 1, model: T4}")).differences(seen("a/c", FIRST)))
        .containsExactly("container a/c: expected model T4, saw gpu-0 with A100");
  }

  @Test
  void whatItsEnvironmentSaysOtherwiseIsADifference() {
    Expectation.OfContainer wanted = wanted("{gpus: 1, environment: {PROFILE: 2g.10gb}}");
    assertThat(containers("a/c", wanted).differences(seen("a/c", FIRST)))
        .containsExactly("container a/c: expected PROFILE 2g.10gb, saw gpu-0 with 1g.5gb");
  }

  @Test
  void sameWantsEqualGPUsInRunningContainers() {
    Expectation same = group(ImmutableList.of("a/c", "b/c"), ImmutableList.of());
    assertThat(same.differences(seen("a/c", FIRST, "b/c", FIRST))).isEmpty();
    assertThat(same.differences(seen("a/c", FIRST, "b/c", SECOND)))
        .containsExactly(
            "expected the same GPUs in [a/c, b/c], saw [a/c gpu-0 on worker-0, b/c gpu-1 on worker-0]");
    assertThat(same.differences(seen("a/c", FIRST))).hasSize(1);
  }

  @Test
  void differentWantsNoCommonGPU() {
    Expectation different = group(ImmutableList.of(), ImmutableList.of("a/c", "b/c"));
    assertThat(different.differences(seen("a/c", FIRST, "b/c", SECOND))).isEmpty();
    assertThat(different.differences(seen("a/c", FIRST, "b/c", FIRST))).hasSize(1);
  }

  @Test
  void whatDoesNotRunOrSeesNothingIsNeitherTheSameNorDifferent() {
    Observed.Container blind =
        new Observed.Container("worker-0", ImmutableList.of(), ImmutableMap.of());
    Expectation different = group(ImmutableList.of(), ImmutableList.of("a/c", "b/c"));
    assertThat(different.differences(seen("a/c", FIRST)))
        .containsExactly(
            "expected different GPUs in [a/c, b/c],"
                + " saw [a/c gpu-0 on worker-0, b/c not running]");
    assertThat(different.differences(seen("a/c", FIRST, "b/c", blind))).hasSize(1);
    Expectation same = group(ImmutableList.of("a/c", "b/c"), ImmutableList.of());
    assertThat(same.differences(seen("a/c", blind, "b/c", blind))).hasSize(1);
  }

  @Test
  void oneContainerIsComparedWithNothing() {
    ImmutableList<String> pods = ImmutableList.of("web-*/c");
    Observed one = seen("web-x1/c", FIRST);
    assertThat(group(pods, ImmutableList.of()).differences(one)).hasSize(1);
    assertThat(group(ImmutableList.of(), pods).differences(one)).hasSize(1);
    ImmutableList<String> three = ImmutableList.of("web-*/c", "db/c");
    Observed two = seen("web-x1/c", FIRST, "web-y2/c", FIRST);
    assertThat(group(three, ImmutableList.of()).differences(two)).hasSize(1);
  }

  @Test
  void aStarStandsForWhatIsNotKnownBefore() {
    Observed two = seen("web-x1/c", FIRST, "web-y2/c", SECOND);
    assertThat(containers("web-*/c", gpus(1)).differences(two)).isEmpty();
    assertThat(containers("web-*/c", wanted("{gpus: 1, running: 2}")).differences(two)).isEmpty();
    assertThat(containers("web-*/c", wanted("{gpus: 1, running: 3}")).differences(two))
        .containsExactly("container web-*/c: expected 3 to run, saw [web-x1/c, web-y2/c]");
    assertThat(containers("web.*/c", gpus(1)).differences(two))
        .containsExactly("container web.*/c: expected to run, does not");
    assertThat(containers("web-*/c", gpus(2)).differences(two)).hasSize(2);
    assertThat(group(ImmutableList.of("web-*/c"), ImmutableList.of()).differences(two)).hasSize(1);
    assertThat(group(ImmutableList.of(), ImmutableList.of("web-*/c")).differences(two)).isEmpty();
    assertThat(
            group(ImmutableList.of(), ImmutableList.of("*/c"))
                .differences(seen("a/c", FIRST, "b/c", FIRST)))
        .hasSize(1);
  }

  @Test
  void whatTheInventorySaysOtherwiseIsADifference() {
    Observed seen = seen("a/c", FIRST);
    assertThat(containers("a/c", wanted("{gpus: 1, attributes: {index: 0|2}}")).differences(seen))
        .isEmpty();
    assertThat(containers("a/c", wanted("{gpus: 1, attributes: {index: 2}}")).differences(seen))
        .containsExactly("container a/c: expected index 2, saw gpu-0 with 0");
    assertThat(containers("a/c", wanted("{gpus: 1, attributes: {brand: X}}")).differences(seen))
        .containsExactly("container a/c: expected brand X, saw gpu-0 with none");
  }

  @Test
  void anExclamationMarkTurnsAPatternRound() {
    Observed seen = seen("a/c", FIRST);
    assertThat(containers("a/c", wanted("{gpus: 1, model: '!T4|H100'}")).differences(seen))
        .isEmpty();
    assertThat(containers("a/c", wanted("{gpus: 1, model: '!T4|A.*'}")).differences(seen))
        .containsExactly("container a/c: expected model !T4|A.*, saw gpu-0 with A100");
    assertThat(containers("a/c", wanted("{gpus: 1, attributes: {brand: '!X'}}")).differences(seen))
        .containsExactly("container a/c: expected brand !X, saw gpu-0 with none");
    assertThat(
            containers("a/c", wanted("{gpus: 1, variables: {GPU_MONITOR: '!true'}}"))
                .differences(seen))
        .hasSize(1);
  }

  @Test
  void allGPUsOfAContainerMayHaveToAgree() {
    Observed.Container both =
        new Observed.Container(
            "worker-0",
            ImmutableList.of(device("worker-0", "gpu-0"), device("worker-0", "gpu-1")),
            ImmutableMap.of());
    assertThat(containers("a/c", wanted("{gpus: 2, alike: [node]}")).differences(seen("a/c", both)))
        .isEmpty();
    assertThat(
            containers("a/c", wanted("{gpus: 2, alike: [index]}")).differences(seen("a/c", both)))
        .containsExactly("container a/c: expected one index, saw [gpu-0 with 0, gpu-1 with 1]");
    assertThat(
            containers("a/c", wanted("{gpus: 2, alike: [pcieRoot]}"))
                .differences(seen("a/c", both)))
        .hasSize(1);
  }

  @Test
  void whatElseTheEnvironmentSaysIsCompared() {
    assertThat(
            containers("a/c", wanted("{gpus: 1, variables: {GPU_MONITOR: \"true\"}}"))
                .differences(seen("a/c", FIRST)))
        .isEmpty();
    assertThat(
            containers("a/c", wanted("{gpus: 1, variables: {GPU_MONITOR: \"false\"}}"))
                .differences(seen("a/c", FIRST)))
        .containsExactly("container a/c: expected GPU_MONITOR=false, saw true");
  }

  @Test
  void claimsAreCountedAndTheirGPUsCompared() {
    Observed seen = claim(true, "worker-0", "worker-0/gpu-0", 1);
    assertThat(
            claims(
                    new Expectation.OfClaim(
                        1, null, null, null, null, 1, Map.of("model", "A100"), null))
                .differences(seen))
        .isEmpty();
    assertThat(
            claims(
                    new Expectation.OfClaim(
                        0, null, null, null, null, 2, Map.of("model", "T4"), null))
                .differences(seen))
        .containsExactly(
            "claim gpu: expected 0 to exist, saw [gpu]",
            "claim gpu: expected 2 GPUs, saw gpu-0 on worker-0",
            "claim gpu: expected model T4, saw gpu-0 with A100");
  }

  @Test
  void equalNamesOnTwoNodesAreDifferentGPUs() {
    Expectation different = group(ImmutableList.of(), ImmutableList.of("a/c", "b/c"));
    assertThat(different.differences(seen("a/c", FIRST, "b/c", container("worker-1", "gpu-0"))))
        .isEmpty();
  }

  @Test
  void aPodIsJudgedByPhaseAndEvent() {
    Expectation waits =
        new Expectation(
            ImmutableMap.of(),
            ImmutableMap.of(
                "a",
                new Expectation.OfPod(
                    "Pending", new Expectation.OfEvent("NoFreeDevice", "in use"))),
            ImmutableMap.of(),
            ImmutableList.of(),
            ImmutableList.of());
    assertThat(waits.differences(pod("Pending", "NoFreeDevice", "all GPUs in use"))).isEmpty();
    assertThat(waits.differences(pod("Running", "NoFreeDevice", "all GPUs in use")))
        .containsExactly("pod a: expected phase Pending, saw Running");
    assertThat(waits.differences(pod("Pending", "NoFreeDevice", "stale")))
        .containsExactly(
            "pod a: expected event \"NoFreeDevice: …in use…\", saw [NoFreeDevice: stale]");
    assertThat(waits.shown(pod("Pending", "NoFreeDevice", "all GPUs in use")))
        .containsEntry("a", "NoFreeDevice: all GPUs in use");
  }

  @Test
  void aClaimIsJudgedByAllocationConsumersAndUser() {
    Expectation used =
        claims(new Expectation.OfClaim(null, true, 1, "a/c", null, null, null, null));
    assertThat(used.differences(claim(true, "worker-0", "worker-0/gpu-0", 1))).isEmpty();
    assertThat(used.differences(claim(false, "worker-0", "worker-0/gpu-0", 1)))
        .containsExactly("claim gpu: expected an allocation, saw no allocation");
    assertThat(used.differences(claim(true, "worker-0", "worker-0/gpu-0", 2)))
        .containsExactly("claim gpu: expected 1 consumers, saw 2");
    assertThat(used.differences(claim(true, "worker-1", "worker-0/gpu-0", 1))).hasSize(1);
    assertThat(used.differences(claim(true, "worker-0", "worker-0/gpu-7", 1))).hasSize(1);
  }

  @Test
  void partsOfItsGPUUseAClaim() {
    Observed.Device part =
        new Observed.Device(
            "gpu-0-mig-1g.5gb-4",
            "MIG-x",
            ImmutableSetMultimap.of(),
            ImmutableMap.of("PARENT_UUID", "worker-0/gpu-0"));
    Observed seen = claim(true, "worker-0", "worker-0/gpu-0", 1);
    Observed.Container user =
        new Observed.Container("worker-0", ImmutableList.of(part), ImmutableMap.of());
    assertThat(
            claims(new Expectation.OfClaim(null, null, null, "b/c", null, null, null, null))
                .differences(
                    new Observed(
                        ImmutableSortedMap.of("b/c", user),
                        ImmutableSortedMap.of(),
                        seen.claims())))
        .isEmpty();
  }

  @Test
  void anEnvironmentIsReadByTheNamesOfTheDevices() {
    Observed.Container container = Observed.Container.of(VARIABLES, ImmutableMap.of("GPU-x", T4));
    assertThat(container)
        .isEqualTo(
            new Observed.Container(
                "worker-1",
                ImmutableList.of(
                    new Observed.Device(
                        "gpu-3",
                        "GPU-x",
                        T4,
                        ImmutableMap.of("UUID", "GPU-x", "SHARING_STRATEGY", "TimeSlicing"))),
                VARIABLES));
  }

  private static Expectation.OfContainer gpus(int number) {
    return wanted("{gpus: %d}".formatted(number));
  }

  private static Expectation.OfContainer wanted(String text) {
    try {
      return YAML.readValue(text, Expectation.OfContainer.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Observed.Container container(String node, String gpu) {
    return new Observed.Container(
        node, ImmutableList.of(device(node, gpu)), ImmutableMap.of("GPU_MONITOR", "true"));
  }

  private static Observed.Device device(String node, String gpu) {
    return new Observed.Device(
        gpu,
        node + "/" + gpu,
        ImmutableSetMultimap.of("model", "A100", "node", node, "index", gpu.substring(4)),
        ImmutableMap.of("PROFILE", "1g.5gb"));
  }

  private static Observed seen(String name, Observed.Container container) {
    return new Observed(
        ImmutableSortedMap.of(name, container), ImmutableSortedMap.of(), ImmutableSortedMap.of());
  }

  private static Observed seen(
      String name, Observed.Container container, String other, Observed.Container second) {
    return new Observed(
        ImmutableSortedMap.of(name, container, other, second),
        ImmutableSortedMap.of(),
        ImmutableSortedMap.of());
  }

  private static Observed pod(String phase, String reason, String message) {
    return new Observed(
        ImmutableSortedMap.of(),
        ImmutableSortedMap.of(
            "a", new Observed.Pod(phase, ImmutableList.of(new Observed.Event(reason, message)))),
        ImmutableSortedMap.of());
  }

  private static Observed claim(boolean allocated, String node, String uuid, int consumers) {
    return new Observed(
        ImmutableSortedMap.of("a/c", FIRST),
        ImmutableSortedMap.of(),
        ImmutableSortedMap.of(
            "gpu",
            new Observed.Claim(
                allocated,
                Optional.of(node),
                ImmutableList.of(
                    new Observed.Device(
                        "gpu-0",
                        uuid,
                        ImmutableSetMultimap.of("model", "A100"),
                        ImmutableMap.of())),
                consumers,
                ImmutableList.of())));
  }

  private static Expectation containers(String name, Expectation.OfContainer wanted) {
    return new Expectation(
        ImmutableMap.of(name, wanted),
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableList.of(),
        ImmutableList.of());
  }

  private static Expectation claims(Expectation.OfClaim wanted) {
    return new Expectation(
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableMap.of("gpu", wanted),
        ImmutableList.of(),
        ImmutableList.of());
  }

  private static Expectation group(ImmutableList<String> same, ImmutableList<String> different) {
    return new Expectation(
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        same.isEmpty() ? ImmutableList.of() : ImmutableList.of(same),
        different.isEmpty() ? ImmutableList.of() : ImmutableList.of(different));
  }
}
