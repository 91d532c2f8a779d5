package io.gpudra.controller.lint;

import static io.gpudra.controller.lint.LintSamples.DRIVER;
import static io.gpudra.controller.lint.LintSamples.claim;
import static io.gpudra.controller.lint.LintSamples.claimParameters;
import static io.gpudra.controller.lint.LintSamples.classParameters;
import static io.gpudra.controller.lint.LintSamples.object;
import static io.gpudra.controller.lint.LintSamples.pod;
import static io.gpudra.controller.lint.LintSamples.resourceClass;
import static io.gpudra.controller.lint.LintSamples.template;
import static io.gpudra.controller.lint.LintSamples.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What only the driver refuses (api.md 1 and 2.8), as far as no cluster is needed for it. */
class SemanticChecksTest {

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "M1 | {cel: \"device.memry > 1\"} | spec.cel: unknown device attribute \"memry\", did you"
            + " mean \"memory\"?",
        "M2 | {cel: \"device.memory >= '40Gi'\"} | spec.cel: 15: no operator >= for int and string;"
            + " compare sizes with quantity('40Gi')",
        "M3 | {cel: device.index} | spec.cel: must yield true or false, yields int",
        "M4 | {requests: [{name: a}, {name: b, cel: device.index}]} | spec.requests[1].cel: must"
            + " yield true or false, yields int",
        "M10 | {count: 2, sharing: {strategy: MPS, mpsConfig: {defaultPerDevicePinnedMemoryLimit:"
            + " {'3': 1Gi}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[3]: the"
            + " claim has 2 devices (0 and 1)",
        "M11 | {mode: shared, memoryLimit: 4Gi, sharing: {strategy: MPS, mpsConfig:"
            + " {defaultPinnedDeviceMemoryLimit: 10Gi}}} |"
            + " spec.sharing.mpsConfig.defaultPinnedDeviceMemoryLimit: 10Gi is more than"
            + " memoryLimit 4Gi",
        "least | {mode: shared, memoryLimit: 1M, sharing: null, millicores: 1, count: 2, shareable:"
            + " false, memory: 0.0001Mi} | ",
        "least | {memoryLimit: 0.5M} | spec.memoryLimit: Invalid value: \"0.5M\": must be at least"
            + " 1M",
      })
  void parametersAreToldWhatTheirClaimsWouldBe(String row, String spec, String text) {
    assertThat(texts(claimParameters("x", spec)))
        .isEqualTo(text == null ? List.of() : List.of(text));
  }

  @Test
  void theConditionOfAClassIsReadToo() {
    assertThat(texts(classParameters("x", "{cel: device.index}")))
        .containsExactly("spec.cel: must yield true or false, yields int");
  }

  @Test
  void allThatIsWrongIsToldAtOnce() {
    assertThat(
            texts(claimParameters("x", "{memroy: 1, count: 65, cel: device.index, mode: shared}")))
        .hasSize(4)
        .anyMatch(text -> text.contains("memroy"))
        .anyMatch(text -> text.contains("less than or equal to 64"))
        .anyMatch(text -> text.contains("must yield true or false"))
        .anyMatch(text -> text.contains("mode: shared needs memoryLimit"));
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "apiGroup: gpu.resource.example.com/v2 | spec.parametersRef.apiGroup: Unsupported value:"
            + " \"gpu.resource.example.com/v2\": served versions: v1alpha1",
        "apiGroup: '' | spec.parametersRef.apiGroup: Required value: \"gpu.resource.example.com\"",
        "kind: GpuClaimParameter | spec.parametersRef.kind: Unsupported value:"
            + " \"GpuClaimParameter\": did you mean \"GpuClaimParameters\"?",
        "name: '' | spec.parametersRef.name: Required value",
      })
  void aReferenceThatIsOursIsLookedAt(String field, String text) {
    String reference =
        "apiGroup: gpu.resource.example.com\n    kind: GpuClaimParameters\n    name: x"
            .replaceFirst(field.substring(0, field.indexOf(':')) + ": [^\n]*", field);
    String claim =
        object(
            "resource.k8s.io/v1alpha2",
            "ResourceClaim",
            "c",
            "spec:\n  resourceClassName: a\n  parametersRef:\n    " + reference);

    assertThat(texts(claim)).containsExactly(text);
  }

  @Test
  void theReferenceOfATemplateIsOneDeeper() {
    String template =
        template("t", "a", "x").replace("kind: GpuClaimParameters", "kind: GpuClaimParameter");

    assertThat(texts(template))
        .containsExactly(
            "spec.spec.parametersRef.kind: Unsupported value: \"GpuClaimParameter\": did you mean"
                + " \"GpuClaimParameters\"?");
  }

  @Test
  void theReferenceOfAClassIsLookedAt() {
    String ofClass =
        resourceClass("a", DRIVER, "x").replace("name: x", "name: x, namespace: team-a");

    assertThat(texts(ofClass))
        .containsExactly(
            "parametersRef.namespace: Forbidden: GpuClassParameters is cluster-scoped");
  }

  @Test
  void whatOtherDriversHaveIsNotLookedAt() {
    String claim = claim("c", "other", "x").replace("GpuClaimParameters", "Whatever");

    assertThat(texts(resourceClass("other", "cpu.example.com", "") + claim)).isEmpty();
    assertThat(texts(claim("c", "a", "x").replace("gpu.resource.example.com", "b.example.com")))
        .isEmpty();
  }

  /** M14. */
  @Test
  void anImmediateClaimIsInsideNoOther() {
    String immediate =
        claim("c", "a", "x").replace("spec: {", "spec: {allocationMode: Immediate, ");

    assertThat(texts(claimParameters("x", "{migProfile: 1g.5gb, insideClaim: gpu}") + immediate))
        .containsExactly(
            "GpuClaimParameters \"x\": spec.insideClaim: needs allocationMode WaitForFirstConsumer;"
                + " an Immediate claim has no pod");
  }

  /** M15 and M17, and what class and claim contradict each other in. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{limits: {devicesPerClaim: 4}} | {count: 5} | class \"a\" allows 4 devices per claim, 5"
            + " wanted",
        "{deviceSelector: [{type: mig, name: '*'}]} | {all: true} | class \"a\" hands out MIG"
            + " devices only",
        "{monitor: true, namespaceSelector: {}} | {count: 2} | GpuClaimParameters \"x\":"
            + " spec.count: Forbidden: monitor claims take no devices",
        "{forbiddenAttributes: [uuid]} | {cel: \"device.attributes['gpu.nvidia.com'].uuid < 'GPU-7'\"}"
            + " | GpuClaimParameters \"x\": spec.cel: Forbidden: class \"a\" lets no condition read"
            + " device.uuid",
        "{mode: shared} | {mode: exclusive} | GpuClaimParameters \"x\": spec.mode: Forbidden: class"
            + " \"a\" is shared",
        "{mode: shared} | {} | GpuClaimParameters \"x\": spec.memoryLimit: Required value: class"
            + " \"a\" is shared; say which part of the GPU's memory this claim may use, such as"
            + " 4Gi",
      })
  void aClaimIsHeldAgainstItsClass(String ofClass, String spec, String text) {
    String all =
        classParameters("k", ofClass)
            + resourceClass("a", DRIVER, "k")
            + claimParameters("x", spec);

    assertThat(texts(all + claim("c", "a", "x"))).containsExactly(text);
    assertThat(texts(all + template("t", "a", "x"))).containsExactly(text);
  }

  @Test
  void aClassOfCertainNamespacesServesThoseOnly() {
    String ofClass =
        classParameters("k", "{namespaceSelector: {matchLabels: {team: a}}}")
            + resourceClass("a", DRIVER, "k");
    String claim = claim("c", "a", "").replace("{name: c}", "{name: c, namespace: n}");
    String labels =
        "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n, labels: {team: %s}}\n";

    assertThat(texts(ofClass + claim + labels.formatted("b")))
        .containsExactly("class \"a\" is not for namespace \"n\"");
    assertThat(texts(ofClass + claim + labels.formatted("a"))).isEmpty();
    assertThat(texts(ofClass + claim)).as("nobody knows the labels").isEmpty();
  }

  private static final String CARVED =
      claimParameters("carved", "{migProfile: 1g.5gb, insideClaim: gpu}")
          + template("carved", "a", "carved");

  /** M12. */
  @Test
  void theEntryThatAClaimIsInsideOfIsThere() {
    assertThat(texts(CARVED + template("gpux", "a", "") + pod("gpux", "carved")))
        .containsExactly(
            "GpuClaimParameters \"carved\": spec.insideClaim: the pod has no resourceClaims entry"
                + " \"gpu\", did you mean \"gpux\"?");
    assertThat(texts(CARVED + pod("gpu", "carved"))).isEmpty();
  }

  /** M13. */
  @Test
  void theEntryThatAClaimIsInsideOfIsOurs() {
    String other = resourceClass("other", "dsa.example.com", "") + template("gpu", "other", "");

    assertThat(texts(CARVED + other + pod("gpu", "carved")))
        .containsExactly(
            "GpuClaimParameters \"carved\": spec.insideClaim: \"gpu\" is a claim of driver"
                + " dsa.example.com");
  }

  /** M16 and M18. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{sharing: {strategy: MPS}} | container \"c\" uses two claims with MPS; a process can talk"
            + " to one MPS server only",
        "{memoryLimit: 4Gi} | container \"c\" uses two shares; a container can use one",
      })
  void aContainerUsesOneOfAKind(String spec, String text) {
    String all = claimParameters("x", spec) + template("one", "a", "x") + template("two", "a", "x");
    String deployment =
        pod("one", "two")
                .replace("apiVersion: v1\nkind: Pod", "apiVersion: apps/v1\nkind: Deployment")
                .replace("spec:\n", "spec: {template: {spec: {")
                .replace(
                    "resources: {claims: [{name: one},{name: two},]}}]\n",
                    "resources: {claims: [{name: one},{name: two}]}}],\n")
                .replace("  resourceClaims:\n", "resourceClaims: [")
                .replaceAll("  - ([^\n]*)\n", "$1,")
                .stripTrailing()
            + "]}}}\n";

    assertThat(texts(all + pod("one", "two"))).containsExactly(text);
    assertThat(texts(all + deployment)).containsExactly(text);
  }
}
