package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a text is: findings, never an exception. */
class ManifestLinterPropertiesTest {

  private static final ManifestLinter LINT = new ManifestLinter(LintSamples.DRIVER, "");
  private static final List<String> EXAMPLES = examples();

  /** What means something to YAML, to a schema or to a condition. */
  private static final List<String> BITS =
      List.of(
          ": ",
          "- ",
          "\n",
          "  ",
          "\t",
          "{",
          "}",
          "[",
          "]",
          ",",
          "'",
          "\"",
          "|\n",
          ">-\n",
          "#",
          "&a ",
          "*a ",
          "<<: ",
          "---\n",
          "...\n",
          "!!int ",
          "!x ",
          "%YAML 1.1\n",
          "? ",
          "null",
          "-1",
          "1e9",
          "9999999999999999999",
          "0x",
          "yes",
          "\\U7FFFFFFF",
          "\\ud800",
          "\u0000",
          "\uFEFF",
          "é",
          "𝔾",
          "device.",
          "quantity('",
          "spec:",
          "requests:",
          "count:",
          "name:",
          "{{ .Values.x }}");

  private static List<String> examples() {
    try (Stream<Path> files = Files.list(Path.of("../../manifests/examples"))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .map(ManifestLinterPropertiesTest::text)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Provide
  Arbitrary<String> changedExamples() {
    return Arbitraries.longs().map(seed -> changed(new Random(seed)));
  }

  private static String changed(Random random) {
    StringBuilder text = new StringBuilder(EXAMPLES.get(random.nextInt(EXAMPLES.size())));
    for (int i = random.nextInt(6); i >= 0 && text.length() > 0; i--) {
      change(text, random);
    }
    return text.toString();
  }

  private static void change(StringBuilder text, Random random) {
    int at = random.nextInt(text.length());
    int end = Math.min(text.length(), at + 1 + random.nextInt(random.nextInt(5) == 0 ? 200 : 5));
    switch (random.nextInt(5)) {
      case 0 -> text.delete(at, end);
      case 1 -> text.insert(at, text.substring(at, end));
      case 2 -> text.setCharAt(at, (char) (32 + random.nextInt(95)));
      case 3 -> text.replace(at, end, BITS.get(random.nextInt(BITS.size())));
      default -> text.insert(at, BITS.get(random.nextInt(BITS.size())));
    }
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
    return Arbitraries.of(BITS).list().ofMaxSize(40).map(bits -> String.join("", bits));
  }

  @Property(tries = 600)
  void bitsOfYamlInAnObjectMakeFindings(@ForAll("bits") String bits) {
    String object = LintSamples.claimParameters("x", bits);

    assertThatCode(() -> LINT.of(LintSamples.sources(object))).doesNotThrowAnyException();
  }
}
