package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.lint.ChangedExamples;
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

  private static TranslationResult result(String text) {
    return MigrationSamples.migrated(MigrationSamples.DRIVER, "1.36", text);
  }
}
