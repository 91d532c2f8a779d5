package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TranslationRemark.Weight;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts that are no usual manifests, and what becomes of them. */
class TranslationBadInputTest {
  private static final String CLAIM =
      """
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaim
      metadata:
        name: x
      spec:
        resourceClassName: c
      """;

  private static final String MONITOR =
      """
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuClassParameters
      metadata: {name: m}
      spec: {monitor: true, namespaceSelector: {matchLabels: {a: b}}}
      ---
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClass
      metadata: {name: m}
      driverName: gpu.resource.example.com
      parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClassParameters, name: m}
      """;

  private static final Options OPTIONS =
      new Options(
          MigrationSamples.DRIVER, MigrationSamples.DRIVER, TargetVersion.V1_36, "c", "4Gi");

  private static TranslationResult result(String text) {
    return MigrationSamples.migrated(MigrationSamples.DRIVER, "1.36", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'a: [' | given.yaml:8:5: not valid YAML: expected the node content, but found"
            + " '<stream end>'",
        "'a:\n\tb: 1' | given.yaml:9:1: not valid YAML: found character '\\t(TAB)' that cannot"
            + " start any token. (Do not use \\t(TAB) for indentation)",
        "'a: 1\na: 2' | given.yaml:9:1: key \"a\" already set in map",
        "'a: *b' | given.yaml:8:4: not valid YAML: unknown alias \"b\"",
        "a: {{ x }} | given.yaml:8:5: not valid YAML: a key that is not a string; if it is a"
            + " template of Helm, translate the output of helm template",
      })
  void aTextThatIsNoYamlIsNotTranslated(String text, String problem) {
    TranslationResult result = result(CLAIM + "---\n" + text);

    assertThat(result.files()).isEmpty();
    assertThat(result.problems()).containsExactly(problem);
  }

  @Test
  void windowsLineEndsStay() {
    String text = CLAIM.replace("\n", "\r\n");

    assertThat(MigrationSamples.migrated(text))
        .isEqualTo(MigrationSamples.migrated(CLAIM).replace("\n", "\r\n"))
        .doesNotContainPattern("[^\r]\n");
  }

  @Test
  void jsonStaysJson() {
    assertThat(
            MigrationSamples.migrated(
                """
                {
                \t"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClaim",
                  "metadata": {"name": "x"}, "spec": {"resourceClassName": "c"}
                }
                """))
        .isEqualTo(
            """
            {
            \t"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
              "metadata": {"name": "x"}, "spec": {"devices":{"requests":[{"name":"gpu",\
            "exactly":{"deviceClassName":"c","selectors":[{"cel":{"expression":\
            "device.attributes[\\"gpu.resource.example.com\\"].type == \\"gpu\\""}}]}}]}}
            }
            """);
  }

  @Test
  void escapedSlashesAreWrittenOut() {
    assertThat(
            MigrationSamples.migrated(
                "{\"apiVersion\": \"resource.k8s.io\\/v1alpha2\", \"kind\": \"ResourceClaim\","
                    + " \"metadata\": {\"name\": \"x\"}, \"spec\": {\"resourceClassName\":"
                    + " \"c\"}}"))
        .startsWith("{\n  \"apiVersion\" : \"resource.k8s.io/v1\"");
  }

  @Test
  void oneTemplateServesPodsOfTwoSpellings() {
    String template =
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaimTemplate
        metadata: {name: t}
        spec: {spec: {resourceClassName: c}}
        """;
    String pod =
        """
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: p}
        spec: {resourceClaims: [{name: gpu, %s}]}
        """;

    assertThat(
            MigrationSamples.migrated(
                template
                    + pod.formatted("source: {resourceClaimTemplateName: t}")
                    + pod.formatted("resourceClaimTemplateName: t")))
        .endsWith(pod.formatted("resourceClaimTemplateName: t").repeat(2))
        .containsOnlyOnce("kind: ResourceClaimTemplate");
  }

  @Test
  void placesOfAnObjectThatIsWrittenOutAreThoseOfTheFile() {
    String list =
        """
        # three objects
        kind: List
        items:
        - {kind: A, apiVersion: v1}
        - apiVersion: resource.k8s.io/v1alpha2
          kind: ResourceClaim
          metadata: {name: x}
          spec:
            resourceClassName: c
            allocationMode: Immediate
        """;

    assertThat(result(list).remarks())
        .filteredOn(remark -> remark.weight() == Weight.LOST)
        .extracting(remark -> remark.position().line())
        .containsExactly(10);
  }

  @Test
  void parametersThatTwoOtherFilesDisagreeAboutAreMissing() {
    String claim =
        CLAIM
            + "  parametersRef: {apiGroup: gpu.resource.example.com, kind: GpuClaimParameters,"
            + " name: p}\n";
    String parameters =
        """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuClaimParameters
        metadata: {name: p}
        spec: {count: %d}
        """;

    assertThat(results(claim, parameters.formatted(1), parameters.formatted(2)))
        .startsWith("# not translated: GpuClaimParameters \"p\"; it is not among the files");
    assertThat(results(claim, parameters.formatted(2), parameters.formatted(2)))
        .contains("count: 2");
    assertThat(results(claim + "---\n" + parameters.formatted(3), parameters.formatted(2)))
        .contains("count: 3");
  }

  /** The first of several texts. */
  private static String results(String... texts) {
    ImmutableList<ManifestText> files =
        IntStream.range(0, texts.length)
            .mapToObj(i -> new ManifestText(i + ".yaml", texts[i]))
            .collect(ImmutableList.toImmutableList());
    return ManifestMigration.translator(OPTIONS)
        .translate(files)
        .files()
        .getOrDefault("0.yaml", "");
  }

  @Test
  void namesOfSeveralLinesStayInTheirComment() {
    assertThat(
            MigrationSamples.migrated(
                CLAIM
                    + "  parametersRef: {apiGroup: gpu.resource.example.com, kind:"
                    + " GpuClaimParameters, name: \"p\\nkind: Pod\u2028kind: Pod\"}\n"))
        .startsWith("# not translated: GpuClaimParameters \"p kind: Pod kind: Pod\"; it is not")
        .doesNotContainPattern("\\R[^#]");
  }

  @Test
  void aReferenceThatIsNullIsNone() {
    assertThat(MigrationSamples.migrated(CLAIM + "  parametersRef: null\n"))
        .isEqualTo(MigrationSamples.migrated(CLAIM));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{name: n} | {name: n, labels: {resource.kubernetes.io/admin-access: 'true'}}",
        "\"\n  name: n\n  labels:\" | \"\n  name: n\n  labels:\n    LABEL\"",
        "\"\n  name: n\n  labels: # none\" | \"\n  name: n\n  labels:\n    LABEL # none\"",
        "\"\n  labels: null\n  name: n\" | \"\n  labels:\n    LABEL\n  name: n\"",
        "\"\n  name: n\n  labels:\n    a: b\" | \"\n  name: n\n  labels:\n    a: b\n    LABEL\"",
        "{name: n, labels: {a: b}} | {name: n, labels: {a: b,"
            + " resource.kubernetes.io/admin-access: 'true'}}",
        "{name: n, labels: x} | {name: n, labels: x}",
        "{name: n, labels: [x]} | {name: n, labels: [x]}",
      })
  void theNamespaceOfAMonitoringClaimGetsItsLabel(String metadata, String labelled) {
    String namespace = "kind: Namespace\napiVersion: v1\nmetadata: %s\n";
    String claim =
        CLAIM.replace("name: x", "{name: x, namespace: n}").replace("Name: c", "Name: m");

    String migrated =
        MigrationSamples.migrated(
            MONITOR + "---\n" + claim + "---\n" + namespace.formatted(metadata));

    assertThat(migrated)
        .endsWith(
            namespace.formatted(
                labelled.replace("LABEL", "resource.kubernetes.io/admin-access: 'true'")));
  }

  @Test
  void anExceptionEndsOneFileOnly() {
    ManifestTranslator translator =
        new ManifestTranslator(
            ImmutableMap.of(
                "/Pod",
                (object, session) -> {
                  session.edits(object).replaceValue(object.field("kind"), object.json());
                  throw new IllegalStateException("no idea");
                },
                "/Node",
                (object, session) -> session.omit(object, "gone.")),
            OPTIONS);
    List<String> asked = new ArrayList<>();

    TranslationResult result =
        translator.translate(
            List.of(
                new ManifestText("a", "kind: Node\nmetadata: {name: n}\n"),
                new ManifestText("b", "kind: Pod\n---\nkind: Node\n")),
            asked::add);

    assertThat(result.files())
        .containsEntry("a", "# Node \"n\": gone.\n")
        .containsEntry(
            "b",
            """
            # not translated: an object of a shape that was not expected; its whole file stays as a \
            comment: java.lang.IllegalStateException: no idea
            # kind: Pod
            # ---
            # kind: Node
            """);
    assertThat(result.remarks())
        .extracting(TranslationRemark::row)
        .containsExactly(ObjectField.FAILED);
    assertThat(asked).containsSubsequence("a", "b", "a: Node n", "b: Pod ", "b: Node ");
  }

  @Test
  void norDoTwoChangesOfOnePlaceEndMore() {
    ManifestTranslator translator =
        new ManifestTranslator(
            ImmutableMap.of(
                "/Pod",
                (object, session) -> {
                  session.omit(object, "once");
                  session.omit(object, "twice");
                }),
            OPTIONS);

    assertThat(translator.translate(List.of(new ManifestText("a", "kind: Pod\n"))).files())
        .hasEntrySatisfying("a", text -> assertThat(text).endsWith("\n# kind: Pod\n"));
  }

  @Test
  void manyRemarksAreAllCounted() {
    String claims =
        IntStream.range(0, 200)
            .mapToObj(
                i -> CLAIM.replace("name: x", "name: x" + i) + "  allocationMode: Immediate\n")
            .collect(Collectors.joining("---\n"));

    assertThat(result(claims).count(Weight.LOST)).isEqualTo(200);
  }
}
