package io.gpudra.controller.translate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TranslationRemark.Weight;
import io.gpudra.controller.translate.convert.ManifestConversion;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** There and back again, an example asks for the same devices. */
class RoundTripTest {
  private static final Path EXAMPLES = Path.of("../../manifests/examples");
  private static final String DRIVER = "gpu.resource.example.com";
  private static final Options OPTIONS =
      new Options(DRIVER, DRIVER, TargetVersion.V1_36, "gpu.example.com", "4Gi");

  /** On the way back, claims that monitor get a class of their own. */
  private static final String MONITOR = "32-monitor.yaml";

  static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.toString().endsWith(".expect.yaml") && !file.endsWith(MONITOR))
          .sorted()
          .toList();
    }
  }

  private static TranslationResult migrated(String text) {
    return ManifestMigration.translator(OPTIONS).translate(List.of(new ManifestText("f", text)));
  }

  private static TranslationResult converted(String text) {
    return ManifestConversion.translator(OPTIONS).translate(List.of(new ManifestText("f", text)));
  }

  private static String text(TranslationResult result) {
    return requireNonNull(result.files().get("f"));
  }

  /** The objects without comments; a profile in a condition comes back as a field. */
  private static List<String> objects(TranslationResult result) {
    return YamlDocuments.of(text(result)).documents().stream()
        .map(document -> document.root().value().toString())
        .filter(json -> !json.equals("null"))
        .map(json -> json.replace(".?profile.orValue(\\\"\\\")", ".profile"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleComesBackWithTheSameMeaning(Path example) throws IOException {
    TranslationResult there = migrated(Files.readString(example));
    assumeThat(there.count(Weight.LOST)).isZero();

    TranslationResult back = converted(text(there));

    assertThat(back.losesMeaning()).isFalse();
    assertThat(objects(migrated(text(back)))).isEqualTo(objects(there));
  }
}
