package io.gpudra.scenarios.script;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class CounterproofTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static final Observed.Device GPU =
      new Observed.Device(
          "gpu-0",
          "GPU-x",
          ImmutableSetMultimap.of("model", "A100", "capabilities", "mps", "capabilities", "mig"),
          ImmutableMap.of());
  private static final Observed.Container USER = container(GPU);
  private static final Observed.Container BYSTANDER = container();

  private static final Observed SEEN =
      new Observed(
          ImmutableSortedMap.of("a-1/c", USER, "a-2/c", USER, "b/c", BYSTANDER),
          ImmutableSortedMap.of(
              "a-1", new Observed.Pod("Running", ImmutableList.of()),
              "a-2", new Observed.Pod("Running", ImmutableList.of())),
          ImmutableSortedMap.of(
              "gpu",
              new Observed.Claim(
                  true, Optional.of("worker-0"), ImmutableList.of(GPU), 2, ImmutableList.of())));

  @Test
  void whatSaysSomethingIsNotMetTurnedRound() {
    assertThat(failures("containers", "a-*/c", "{gpus: 1, running: 2, model: A.*}")).isEmpty();
    assertThat(failures("containers", "a-1/c", "{gpus: 1, variables: {V: one|two}}")).isEmpty();
    assertThat(
            failures(
                "claims",
                "gpu",
                "{allocated: true, reservedFor: 2, gpus: 1, usedBy: a-1/c, number: 1}"))
        .isEmpty();
  }

  @Test
  void oneValueOfManyTurnedRoundIsNoneOfThem() {
    assertThat(failures("containers", "a-1/c", "{gpus: 1, attributes: {capabilities: mps}}"))
        .isEmpty();
    assertThat(failures("containers", "a-1/c", "{gpus: 1, attributes: {capabilities: '!ecc'}}"))
        .isEmpty();
  }

  @Test
  void whatIsSaidOfTheGPUsOfAContainerWithoutAnySaysNothing() {
    assertThat(failures("containers", "b/c", "{gpus: 0, model: A100, attributes: {node: x}}"))
        .containsExactly(
            "b/c: is met with {\"model\":\"!A100\"}, too",
            "b/c: is met with {\"attributes\":{\"node\":\"!x\"}}, too");
  }

  @Test
  void whatIsSaidOfTheGPUsOfAClaimWithoutAnySaysNothing() {
    Observed without =
        new Observed(
            ImmutableSortedMap.of(),
            ImmutableSortedMap.of(),
            ImmutableSortedMap.of(
                "gpu",
                new Observed.Claim(
                    false, Optional.empty(), ImmutableList.of(), 0, ImmutableList.of())));
    assertThat(
            new Counterproof(
                    expectation("claims", "gpu", "{allocated: false, attributes: {node: x}}"),
                    without)
                .failures())
        .containsExactly("gpu: is met with {\"attributes\":{\"node\":\"!x\"}}, too");
  }

  @Test
  void eachOfManyThingsIsWaitedFor() {
    assertThat(failures("containers", "a-*/c", "{gpus: 1}"))
        .containsExactly(
            "container a-1/c: is not waited for", "container a-2/c: is not waited for");
    assertThat(failures("pods", "a-*", "{phase: Running}"))
        .containsExactly("pod a-1: is not waited for", "pod a-2: is not waited for");
  }

  @Test
  void groupsSaySomething() {
    Expectation same =
        new Expectation(
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableList.of(ImmutableList.of("a-1/c", "a-2/c")),
            ImmutableList.of());
    assertThat(new Counterproof(same, SEEN).failures()).isEmpty();
  }

  private static ImmutableList<String> failures(String kind, String name, String demands) {
    Expectation met = expectation(kind, name, demands);
    assertThat(met.differences(SEEN)).isEmpty();
    return new Counterproof(met, SEEN).failures();
  }

  private static Expectation expectation(String kind, String name, String demands) {
    return new Expectation(
        one(kind.equals("containers"), name, demands, Expectation.OfContainer.class),
        one(kind.equals("pods"), name, demands, Expectation.OfPod.class),
        one(kind.equals("claims"), name, demands, Expectation.OfClaim.class),
        ImmutableList.of(),
        ImmutableList.of());
  }

  private static <T> ImmutableMap<String, T> one(
      boolean wanted, String name, String demands, Class<T> type) {
    try {
      return wanted ? ImmutableMap.of(name, YAML.readValue(demands, type)) : ImmutableMap.of();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Observed.Container container(Observed.Device... gpus) {
    return new Observed.Container(
        "worker-0", ImmutableList.copyOf(gpus), ImmutableMap.of("V", "one"));
  }
}
