package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples of this driver on later versions of Kubernetes. */
class MigratedExamplesTest {
  private static final Path EXAMPLES = Path.of("../../manifests/examples");

  private static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.filter(MigratedExamplesTest::isManifest).sorted().toList().stream();
    }
  }

  private static boolean isManifest(Path file) {
    return file.toString().endsWith(".yaml") && !file.toString().contains(".expect.");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void noObjectOfTheOldApiIsLeft(Path example) throws IOException {
    assertThat(live(MigrationSamples.migrated(Files.readString(example))))
        .doesNotContain("v1alpha2", "ClaimParameters", "ClassParameters", " source:");
  }

  private static String live(String text) {
    return String.join(
        "\n", text.lines().filter(line -> !line.stripLeading().startsWith("#")).toList());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void translatingTwiceChangesNothing(Path example) throws IOException {
    String once = MigrationSamples.migrated(Files.readString(example));

    assertThat(MigrationSamples.migrated(once)).isEqualTo(once);
  }

  @Test
  void twoPodsOfATemplate() throws IOException {
    String text = Files.readString(EXAMPLES.resolve("01-two-pods.yaml"));

    assertThat(MigrationSamples.migrated(text))
        .isEqualTo(
            text.replace("v1alpha2", "v1")
                .replace(
                    "    resourceClassName: gpu.example.com\n",
                    """
                        devices:
                          requests:
                          - name: gpu
                            exactly:
                              deviceClassName: gpu.example.com
                              selectors:
                              - cel:
                                  expression: device.attributes["gpu.resource.example.com"].type == "gpu"
                    """)
                .replace(
                    "      source:\n        resourceClaimTemplateName",
                    "      resourceClaimTemplateName"));
  }

  @Test
  void parametersLeaveAComment() throws IOException {
    assertThat(MigrationSamples.migrated(Files.readString(EXAMPLES.resolve("04-four-gpus.yaml"))))
        .contains(
            """
            ---
            # GpuClaimParameters "four-gpus": its fields are in ResourceClaimTemplate "four-gpus".
            ---
            """);
  }

  @Test
  void whatIsNotTranslatedStaysAsAComment() {
    String claim =
        """
        # ours
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata:
          name: x

        spec: {resourceClassName: c, resourceClass: d}
        """;

    assertThat(MigrationSamples.migrated(claim))
        .isEqualTo(
            """
            # ours
            # not translated: strict decoding error: unknown field "spec.resourceClass",\
             supported values: "resourceClassName", "parametersRef", "allocationMode"; this driver does not accept it
            # apiVersion: resource.k8s.io/v1alpha2
            # kind: ResourceClaim
            # metadata:
            #   name: x
            #
            # spec: {resourceClassName: c, resourceClass: d}
            """);
  }

  private static Stream<String> foreign() {
    String claim =
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaim
        metadata: {name: x}
        spec: {resourceClassName: c}
        """;
    String ofClass =
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: c}
        driverName: other.example.com
        ---
        """;
    String reference = "parametersRef: {apiGroup: other.example.com, kind: A, name: b}";
    return Stream.of(
        ofClass + claim,
        claim.replace("}\n", ", " + reference + "}\n").replace("x, " + reference, "x"),
        "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: &m {name: x}\r\ndata: *m",
        "",
        "# nothing");
  }

  @ParameterizedTest
  @MethodSource("foreign")
  void whatIsNotOursStays(String text) {
    TranslationResult result = MigrationSamples.migrated(MigrationSamples.DRIVER, "1.36", text);

    assertThat(result.files()).containsValue(text);
    assertThat(result.remarks()).isEmpty();
    assertThat(result.changed()).isZero();
  }

  @Test
  void allTogether() throws IOException {
    ImmutableList.Builder<ManifestText> texts = ImmutableList.builder();
    for (Path example : examples().toList()) {
      texts.add(new ManifestText(example.toString(), Files.readString(example)));
    }
    Options options =
        new Options(
            MigrationSamples.DRIVER, MigrationSamples.DRIVER, TargetVersion.V1_36, "c", "4Gi");

    TranslationResult result = ManifestMigration.translator(options).translate(texts.build());

    assertThat(result.problems()).isEmpty();
    assertThat(result.files()).hasSameSizeAs(texts.build());
  }
}
