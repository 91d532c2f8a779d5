package io.gpudra.crds.api.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.api.problem.NameSuggestion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersReferenceTest {

  private static final String GROUP = "gpu.resource.example.com";

  @ParameterizedTest
  @ValueSource(strings = {GROUP, GROUP + "/v1alpha1"})
  void bothSpellingsOfTheGroupAreGood(String group) {
    assertThat(new ParametersReference(group, "GpuClaimParameters", null, "x").problemsOfClaim())
        .isEmpty();
    assertThat(new ParametersReference(group, "GpuClassParameters", "", "x").problemsOfClass())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "null",
      value = {
        "gpu.resource.nvidia.com | Unsupported value: \"gpu.resource.nvidia.com\": use"
            + " \"gpu.resource.example.com\" (or \"gpu.resource.example.com/v1alpha1\")",
        "gpu.resource.intel.com/v1alpha2 | Unsupported value: \"gpu.resource.intel.com/v1alpha2\":"
            + " use \"gpu.resource.example.com\" (or \"gpu.resource.example.com/v1alpha1\")",
        "example.com | Unsupported value: \"example.com\": use \"gpu.resource.example.com\" (or"
            + " \"gpu.resource.example.com/v1alpha1\")",
        "gpu.resource.example.com/v2 | Unsupported value: \"gpu.resource.example.com/v2\": served"
            + " versions: v1alpha1",
        "gpu.resource.example.com/ | Unsupported value: \"gpu.resource.example.com/\": served"
            + " versions: v1alpha1",
        "`` | Required value: \"gpu.resource.example.com\"",
        "null | Required value: \"gpu.resource.example.com\"",
      })
  void anotherGroupIsToldWhatToWrite(String group, String problem) {
    assertThat(new ParametersReference(group, "GpuClaimParameters", null, "x").problemsOfClaim())
        .containsExactly("spec.parametersRef.apiGroup: " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "null",
      value = {
        "GpuClaimParameter | Unsupported value: \"GpuClaimParameter\": did you mean"
            + " \"GpuClaimParameters\"?",
        "GpuClassParameters | Unsupported value: \"GpuClassParameters\": did you mean"
            + " \"GpuClaimParameters\"?",
        "gpuclaimparameters | Unsupported value: \"gpuclaimparameters\": did you mean"
            + " \"GpuClaimParameters\"?",
        "ConfigMap | Unsupported value: \"ConfigMap\": supported values: \"GpuClaimParameters\"",
        "MigDeviceClaimParameters | Unsupported value: \"MigDeviceClaimParameters\": supported"
            + " values: \"GpuClaimParameters\"",
        "ComputeInstanceClaimParameters | Unsupported value: \"ComputeInstanceClaimParameters\":"
            + " supported values: \"GpuClaimParameters\"",
        "`` | Required value: \"GpuClaimParameters\"",
        "null | Required value: \"GpuClaimParameters\"",
      })
  void anotherKindIsToldWhatToWrite(String kind, String problem) {
    assertThat(new ParametersReference(GROUP, kind, null, "x").problemsOfClaim())
        .containsExactly("spec.parametersRef.kind: " + problem);
  }

  @Test
  void aClassNamesClusterScopedParameters() {
    assertThat(
            new ParametersReference(GROUP, "GpuClassParameters", "team-a", "x").problemsOfClass())
        .containsExactly(
            "parametersRef.namespace: Forbidden: GpuClassParameters is cluster-scoped");
  }

  @Test
  void everythingWrongIsToldAtOnce() {
    assertThat(new ParametersReference(null, null, null, null).problemsOfClaim())
        .containsExactly(
            "spec.parametersRef.apiGroup: Required value: \"gpu.resource.example.com\"",
            "spec.parametersRef.kind: Required value: \"GpuClaimParameters\"",
            "spec.parametersRef.name: Required value");
  }

  @ParameterizedTest
  @CsvSource({
    "memry, memory",
    "memroy, memory",
    "Memory, memory",
    "numa-Node, numaNode",
    "gpus, count",
    "cuont, count",
    "indxe, index",
    "uid, uuid",
    "uuuid, uuid",
  })
  void oneNearNameIsSuggested(String wrong, String meant) {
    List<String> allowed = List.of("memory", "count", "numaNode", "index", "uuid");

    assertThat(NameSuggestion.nearest(wrong, allowed)).contains(meant);
  }

  @ParameterizedTest
  @CsvSource({
    "gpuClaimName, insideClaim",
    "profile, migProfile",
    "matchAttribute, sameAttribute",
    "sharable, shareable",
  })
  void namesOfOtherDriversAreKnown(String wrong, String meant) {
    assertThat(
            NameSuggestion.nearest(
                wrong, List.of("insideClaim", "migProfile", "sameAttribute", "shareable", "count")))
        .contains(meant);
  }

  /** A table of all its letters would not fit into memory. */
  @Test
  void aNameOfAnyLengthIsNearNone() {
    String endless = "x".repeat(50_000_000);

    assertThat(NameSuggestion.nearest(endless, List.of("memory", "count"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "uu", "xyz", "mem", "sharable"})
  void aFarNameIsNot(String wrong) {
    assertThat(NameSuggestion.nearest(wrong, List.of("memory", "count", "uuid"))).isEmpty();
  }

  @Test
  void allowedNamesAreListedWhenTheyAreFew() {
    assertThat(NameSuggestion.hint("x", List.of("pack", "spread")))
        .isEqualTo("supported values: \"pack\", \"spread\"");
    assertThat(NameSuggestion.hint("packed", List.of("pack", "spread")))
        .isEqualTo("did you mean \"pack\"?");
    assertThat(
            NameSuggestion.hint(
                "zzzz", "abcdefghijklm".chars().mapToObj(Character::toString).toList()))
        .isEmpty();
  }
}
