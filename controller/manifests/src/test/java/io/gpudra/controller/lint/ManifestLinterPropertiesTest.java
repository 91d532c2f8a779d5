package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a text is: findings, never an exception. */
class ManifestLinterPropertiesTest {

  private static final ManifestLinter LINT = new ManifestLinter(LintSamples.DRIVER, "");

  @Provide
  Arbitrary<String> changedExamples() {
    return ChangedExamples.all();
  }

  @Property(tries = 800)
  void aChangedExampleMakesFindings(@ForAll("changedExamples") String text) {
    LintResult lintResult = LINT.of(LintSamples.sources(text));

    assertThat(lintResult.findings())
        .allSatisfy(
            finding -> {
              assertThat(finding.line()).isBetween(1, 1 + (int) text.lines().count());
              assertThat(finding.column()).isPositive();
              assertThat(finding.text()).isNotBlank().hasSizeLessThan(3000);
            });
  }

  @Provide
  Arbitrary<String> noise() {
    return Arbitraries.bytes()
        .array(byte[].class)
        .ofMaxSize(400)
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  @Property(tries = 300)
  void noiseMakesFindings(@ForAll("noise") String text) {
    assertThatCode(() -> LINT.of(LintSamples.sources(text))).doesNotThrowAnyException();
  }

  @Provide
  Arbitrary<String> bits() {
    return Arbitraries.of(ChangedExamples.BITS)
        .list()
        .ofMaxSize(40)
        .map(bits -> String.join("", bits));
  }

  @Property(tries = 600)
  void bitsOfYamlInAnObjectMakeFindings(@ForAll("bits") String bits) {
    String object = LintSamples.claimParameters("x", bits);

    assertThatCode(() -> LINT.of(LintSamples.sources(object))).doesNotThrowAnyException();
  }
}
