package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.convert.ManifestConversion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code convert} says of objects that have no equal here. */
class ConversionBadInputTest {
  private static final String DRIVER = "gpu.resource.example.com";
  private static final Options OPTIONS =
      new Options(DRIVER, DRIVER, TargetVersion.V1_36, "gpu.example.com", "4Gi");

  private static final String CLAIM =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaim
      metadata: {name: x}
      spec:
        devices: %s
      """;

  private static final String SLICE =
      """
      apiVersion: resource.k8s.io/v1
      kind: ResourceSlice
      metadata: {name: x}
      spec:
        driver: fabric.example.com
        nodeName: n1
        pool: {name: n1, generation: 1, resourceSliceCount: 1}
        devices:
        - {name: a, bindsToNode: true, bindingConditions: [attached], bindingFailureConditions: [broken]}
      """;

  private static TranslationResult converted(String text) {
    return ManifestConversion.translator(OPTIONS).translate(List.of(new ManifestText("f", text)));
  }

  private static List<String> told(String text) {
    return converted(text).remarks().stream().map(TranslationRemark::text).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{requests: [{name: a, exactly: {deviceClassName: c, allocationMode: All, adminAccess:"
            + " true}}]} | same: ResourceClaim x: spec.devices: before: every GPU of a node, also"
            + " those in use; now: the same of class c-monitor, in namespaces with the label"
            + " resource.kubernetes.io/admin-access",
        "{requests: [{name: a, exactly: {deviceClassName: c, capacity: {requests: {bandwidth:"
            + " 1Gi}}}}]} | lost: ResourceClaim x: spec.devices: before: 1Gi of the capacity"
            + " bandwidth; now: nothing is reserved",
        "{requests: [{name: a, exactly: {deviceClassName: c, selectors: [{cel: {expression:"
            + " 'device.attributes[\"gpu.resource.example.com\"].cliques.includes(\"a\")'}}]}}]} |"
            + " lost: ResourceClaim x: spec.devices: before: a selector; now: it is left out:"
            + " unknown device attribute \"cliques\"",
        "{requests: [{name: a, exactly: {deviceClassName: c, count: 2}}], constraints:"
            + " [{matchAttribute: gpu.resource.example.com/cliques}]} | lost: ResourceClaim x:"
            + " spec.devices: before: devices with equal gpu.resource.example.com/cliques; now: any"
            + " devices",
        "{requests: [{name: a, exactly: {deviceClassName: c, count: 33}}]} | same: ResourceClaim x:"
            + " spec.devices: before: 33 devices, which no server of later versions takes; now: up"
            + " to 64 here",
        "{requests: []} | lost: ResourceClaim x: spec.devices: before: a claim of nothing; now: no"
            + " equivalent; to do: write a request",
        "{requests: x} | lost: ResourceClaim x: spec.devices: before: a claim of nothing; now: no"
            + " equivalent; to do: write a request",
      })
  void whatHasNoEqualIsTold(String devices, String remark) {
    assertThat(told(CLAIM.formatted(devices))).singleElement(STRING).startsWith(remark);
  }

  @Test
  void whatNeedsNoChangeStays() {
    String text = CLAIM.formatted("[]") + "---\napiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n";

    assertThat(converted(text).files()).containsEntry("f", text);
    assertThat(converted(text).changed()).isZero();
    assertThat(told(text)).isEmpty();
  }

  @Test
  void bindingConditionsAreOfDevicesThatThePluginPublishes() {
    assertThat(told(SLICE))
        .containsExactly(
            "same: ResourceSlice x: before: devices that a driver publishes; now: the plugin"
                + " publishes a NodeInventory");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"resourceClaims: []", "resourceClaims: null", "''"})
  void aPodOfADevicePluginHasOneListOfClaims(String claims) {
    String pod =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: p}
        spec:
          %s
          containers:
          - {name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}
        """;

    assertThat(converted(pod.formatted(claims)).files().get("f"))
        .containsOnlyOnce("resourceClaims:")
        .contains("p-gpu");
  }
}
