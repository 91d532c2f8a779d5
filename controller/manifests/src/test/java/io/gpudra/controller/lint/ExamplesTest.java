package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing is wrong with what the repository shows people, but where it shows what is wrong. */
class ExamplesTest {

  private static final Path EXAMPLES = Path.of("../../manifests/examples");
  private static final Set<String> WRONG =
      Set.of(
          "39-guard-rails.yaml",
          "42-invalid.yaml",
          "46-not-for-all.yaml",
          "47-two-shares.yaml",
          "48-forbidden-attributes.yaml");

  static List<Path> files() throws IOException {
    Set<Path> files = new TreeSet<>();
    for (String directory :
        List.of(
            EXAMPLES.toString(),
            "../../hack/scenarios/documents",
            "../../manifests/base",
            "../../manifests/components",
            "../../manifests/overlays")) {
      try (Stream<Path> below = Files.walk(Path.of(directory))) {
        below.filter(file -> file.toString().endsWith(".yaml")).forEach(files::add);
      }
    }
    assertThat(files).hasSizeGreaterThan(140);
    return List.copyOf(files);
  }

  private static ManifestText source(Path file) {
    try {
      return new ManifestText(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> texts(Stream<Path> files) {
    ManifestLinter manifestLinter = new ManifestLinter(LintSamples.DRIVER, "");
    return manifestLinter.of(files.map(ExamplesTest::source).toList()).findings().stream()
        .map(LintFinding::text)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("files")
  void nothingIsWrongWithAFileByItself(Path file) {
    if (!WRONG.contains(file.getFileName().toString())) {
      assertThat(texts(Stream.of(file))).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "39-guard-rails | class \"research-gpu.example.com\" allows 2 devices per claim, 5 wanted",
        "42-invalid | spec.cel: unknown device attribute \"memry\", did you mean \"memory\"?",
        "46-not-for-all | class \"one-team-gpu.example.com\" is not for namespace"
            + " \"gpu-not-research\"",
        "48-forbidden-attributes | GpuClaimParameters \"one-node\": spec.cel: Forbidden: class"
            + " \"anonymous-gpu.example.com\" lets no condition read device.node",
        "47-two-shares | container \"ctr0\" uses two shares; a container can use one",
      })
  void whatAnExampleShowsIsFound(String file, String text) {
    assertThat(texts(Stream.of(EXAMPLES.resolve(file + ".yaml")))).containsExactly(text);
  }

  @Test
  void filesLookedAtTogetherAreNoWorse() throws IOException {
    assertThat(texts(files().stream())).hasSize(WRONG.size());
  }
}
