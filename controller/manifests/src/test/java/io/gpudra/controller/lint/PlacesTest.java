package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where findings are, and what else people need to find them. */
class PlacesTest {

  private static final String TEXT =
      """
      # two objects
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuClaimParameters
      metadata:
        name: first
        namespace: team-a
      spec:
        requests:
          - name: a
          - name: b
            capabilities:
              - ecc
              - exx
      ---
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuClassParameters
      metadata:
        name: second
      spec:
        namespaceSelector:
          matchLabels:
            gpu.resource.example.com/monitor: 1
        monitor: true
        mode: shared
      """;

  @Test
  void aFindingSaysObjectPathLineAndColumn() {
    assertThat(LintSamples.findings(TEXT))
        .extracting(LintFinding::line, LintFinding::column, LintFinding::object, LintFinding::path)
        .containsExactly(
            tuple(13, 11, "GpuClaimParameters team-a/first", "spec.requests[1].capabilities[1]"),
            tuple(
                22,
                7,
                "GpuClassParameters second",
                "spec.namespaceSelector.matchLabels.gpu.resource.example.com/monitor"));
  }

  @Test
  void whatIsMissingIsWhereItShouldBe() {
    LintFinding finding =
        LintSamples.findings(
                """
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClaim
                metadata:
                  name: x
                spec:
                  allocationMode: Immediate
                """)
            .get(0);

    assertThat(finding.text()).isEqualTo("spec.resourceClassName: Required value");
    assertThat(List.of(finding.line(), finding.column())).containsExactly(5, 1);
  }

  @Test
  void anObjectHasANameAndEachFieldOnce() {
    assertThat(
            LintSamples.texts(
                LintSamples.claimParameters("x", "{count: 1, count: 2}").replace("name: x", "")))
        .containsExactly(
            "metadata.name: Required value: name or generateName is required",
            "key \"count\" already set in map");
  }

  @Test
  void anItemOfAListIsAnObject() {
    String list =
        """
        {"apiVersion": "v1", "kind": "List", "items": [
        \t{"apiVersion": "gpu.resource.example.com/v1alpha1", "kind": "GpuClaimParameters",
        \t "metadata": {"name": "x"},
        \t "spec": {"count": 0}}]}
        """;

    LintFinding finding = LintSamples.findings(list).get(0);

    assertThat(finding.object()).isEqualTo("GpuClaimParameters x");
    assertThat(finding.text()).startsWith("spec.count: Invalid value: 0");
    assertThat(finding.line()).isEqualTo(4);
  }

  @Test
  void aContainersClaimIsOneOfThePods() {
    String job =
        """
        apiVersion: batch/v1
        kind: CronJob
        metadata: {name: x}
        spec:
          jobTemplate:
            spec:
              template:
                spec:
                  initContainers:
                    - name: c
                      resources: {claims: [{name: gpus}]}
                  containers:
                    - name: c
                      resources: {claims: [{name: gpu}, {}]}
                  resourceClaims:
                    - name: gpu
                      source: {resourceClaimTemplateName: x}
                    - name: gpu
                      resourceClaimTemplateName: x
        """;
    String at = "spec.jobTemplate.spec.template.spec.";

    assertThat(LintSamples.texts(job))
        .containsExactly(
            at
                + "initContainers[0].resources.claims[0]: Not found: \"gpus\": must be one of the"
                + " names in pod.spec.resourceClaims: gpu, did you mean \"gpu\"?",
            at + "containers[0].resources.claims[1].name: Required value",
            at
                + "resourceClaims[1].source: Required value: resourceClaimName or"
                + " resourceClaimTemplateName",
            at + "resourceClaims[1].name: Duplicate value: \"gpu\"",
            "strict decoding error: unknown field \""
                + at
                + "resourceClaims[1].resourceClaimTemplateName\", did you mean"
                + " \"source.resourceClaimTemplateName\"?; kubectl gpudra convert translates it");
  }

  @Test
  void allTextsTogetherHaveABudgetOfValues() {
    String text = "a: &a [%s]%nb: [%s]".formatted("0,".repeat(199) + "0", "*a, ".repeat(1_200));

    assertThat(LintSamples.findings(text, text, text, text)).isEmpty();
    assertThat(LintSamples.findings(text, text, text, text, text))
        .extracting(LintFinding::text)
        .containsExactly(
            "more than 1000000 values in all texts, counting those that aliases repeat");
  }

  @Test
  void ofManyFindingsTheFirstAreTold() {
    String one =
        LintSamples.claimParameters("x", "{}").replace("spec: {}", "spec:\n" + fields(250));

    LintResult lintResult =
        new ManifestLinter(LintSamples.DRIVER, "").of(LintSamples.sources(one, one + one + one));

    assertThat(lintResult.findings().subList(0, 51))
        .extracting(LintFinding::text)
        .anyMatch(text -> text.equals("and 200 more"));
    assertThat(lintResult.findings()).hasSize(51 + ManifestLinter.MAX_FINDINGS);
    assertThat(lintResult.unreported()).containsExactly(Map.entry("b.yaml", 53));
    assertThat(lintResult.isClean()).isFalse();
  }

  private static String fields(int number) {
    StringBuilder fields = new StringBuilder();
    for (int i = 0; i < number; i++) {
      fields.append("  field%d: 1%n".formatted(i));
    }
    return fields.toString();
  }

  @Test
  void aKindOrVersionOfOursThatIsNoneIsTold() {
    assertThat(
            LintSamples.texts(
                LintSamples.claimParameters("x", "{}").replace("ClaimParameters", "ClaimParameter"),
                LintSamples.claimParameters("x", "{}").replace("v1alpha1", "v1"),
                "kind: GpuClaimParameters"))
        .containsExactly(
            "kind: Unsupported value: \"GpuClaimParameter\": did you mean \"GpuClaimParameters\"?",
            "apiVersion: Unsupported value: \"gpu.resource.example.com/v1\": served versions:"
                + " v1alpha1",
            "apiVersion: Required value: \"gpu.resource.example.com/v1alpha1\"");
  }

  @Test
  void whatIsNoneOfOursIsNotSpokenOf() {
    assertThat(
            LintSamples.texts(
                "a: 1", "- x", "plain text", "", "apiVersion: v1\nkind: ConfigMap\na: 1\na: 2"))
        .isEmpty();
  }
}
