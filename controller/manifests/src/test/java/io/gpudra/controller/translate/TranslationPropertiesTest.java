package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.lint.ChangedExamples;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.convert.ManifestConversion;
import io.gpudra.controller.translate.migrate.ManifestMigration;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a text is: a translation or problems, never an exception. */
class TranslationPropertiesTest {

  @Provide
  Arbitrary<String> changedExamples() {
    return ChangedExamples.all();
  }

  @Property(tries = 300)
  void aTranslationIsReadableAndStays(@ForAll("changedExamples") String text) {
    TranslationResult first = result(text);
    if (!first.problems().isEmpty()) {
      assertThat(first.files()).isEmpty();
      return;
    }
    String migrated = first.files().getOrDefault(MigrationSamples.FILE, "");

    TranslationResult second = result(migrated);

    assertThat(second.problems()).isEmpty();
    assertThat(second.files()).containsValue(migrated);
  }

  @Provide
  Arbitrary<String> strangeObjects() {
    return StrangeObjects.all();
  }

  @Property(tries = 1000)
  void noValueIsTooStrange(@ForAll("strangeObjects") String text) {
    Options options =
        new Options(
            MigrationSamples.DRIVER, MigrationSamples.DRIVER, TargetVersion.V1_36, "c", "4Gi");

    Stream.of(ManifestMigration.translator(options), ManifestConversion.translator(options))
        .map(translator -> translator.translate(List.of(new ManifestText("f", text))))
        .forEach(result -> assertThat(YamlDocuments.of(text(result)).broken()).isEmpty());
  }

  private static String text(TranslationResult result) {
    assertThat(result.problems()).isEmpty();
    return result.files().getOrDefault("f", "");
  }

  private static TranslationResult result(String text) {
    return MigrationSamples.migrated(MigrationSamples.DRIVER, "1.36", text);
  }
}
