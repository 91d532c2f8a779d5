package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of Kubernetes' API of claims that are not of the driver's version. */
class OtherVersionsTest {

  private static final String OF_THE_DRIVER =
      "; the driver is for \"resource.k8s.io/v1alpha2\" of Kubernetes 1.27 to 1.30";

  private static final String CONVERTED = "; kubectl gpudra convert translates it";

  @ParameterizedTest
  @CsvSource({
    "v1alpha1, ResourceClaimTemplate, only Kubernetes 1.26 has this API, ''",
    "v1alpha3, DeviceClass, this API begins with Kubernetes 1.31, 'a ResourceClass is in its place'",
    "v1beta1, ResourceSlice, this API begins with Kubernetes 1.32,"
        + " 'the plugin''s NodeInventory is in its place'",
    "v1beta2, ResourceClaim, this API begins with Kubernetes 1.33,"
        + " 'GpuClaimParameters say what spec.devices says'",
    "v1, ResourceClaimTemplate, this API begins with Kubernetes 1.34,"
        + " 'GpuClaimParameters say what spec.devices says'",
    "v1, DeviceTaintRule, this API begins with Kubernetes 1.34, ''",
    "v2, ResourceClaim, no such API is known, ''",
  })
  void anObjectOfAnotherVersionIsToldWithTheKubernetesOfThatVersion(
      String version, String kind, String what, String inPlace) {
    String apiVersion = "resource.k8s.io/" + version;

    assertThat(LintSamples.findings(LintSamples.object(apiVersion, kind, "x", "")))
        .extracting(LintFinding::object, LintFinding::path, LintFinding::text)
        .containsExactly(
            tuple(
                kind + " x",
                "apiVersion",
                "apiVersion: Unsupported value: \"%s\": %s%s%s%s"
                    .formatted(
                        apiVersion,
                        what,
                        OF_THE_DRIVER,
                        inPlace.isEmpty() ? "" : ", where " + inPlace,
                        what.contains("begins") ? CONVERTED : "")));
  }

  @Test
  void aKindThatTheVersionDoesNotHaveIsTold() {
    assertThat(
            LintSamples.texts(
                LintSamples.object("resource.k8s.io/v1alpha2", "ResourceClas", "x", "")))
        .containsExactly(
            "kind: Unsupported value: \"ResourceClas\": did you mean \"ResourceClass\"?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ResourceSlice", "ResourceClaimParameters", "PodSchedulingContext"})
  void otherKindsOfTheVersionAreNoneOfOurs(String kind) {
    assertThat(LintSamples.texts(LintSamples.object("resource.k8s.io/v1alpha2", kind, "x", "")))
        .isEmpty();
  }

  @Test
  void eachOfAListIsTold() {
    String list =
        """
        apiVersion: v1
        kind: List
        items:
        - {apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, metadata: {name: a}}
        - {apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, metadata: {name: b}}
        """;

    assertThat(LintSamples.findings(list))
        .extracting(LintFinding::object, LintFinding::line)
        .containsExactly(tuple("ResourceSlice a", 4), tuple("ResourceSlice b", 5));
  }
}
