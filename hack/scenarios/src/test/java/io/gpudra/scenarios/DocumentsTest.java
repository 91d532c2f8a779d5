package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Preconditions;
import io.gpudra.controller.lint.LintFinding;
import io.gpudra.controller.lint.ManifestLinter;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.TranslationRemark;
import io.gpudra.controller.translate.TranslationResult;
import io.gpudra.controller.translate.convert.ManifestConversion;
import io.gpudra.scenarios.Documents.Block;
import io.gpudra.scenarios.Documents.Document;
import io.gpudra.scenarios.Documents.Promise;
import io.gpudra.scenarios.script.Scenario;
import io.gpudra.scenarios.script.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What others have written for drivers like this one, block by block: {@code blocks.yaml} says what
 * comes of each. Scenarios are run by {@code DemoTest}, values by {@code hack/chart/test}.
 */
class DocumentsTest {
  private static final String DRIVER = "gpu.resource.example.com";
  private static final Pattern OF_OURS =
      Pattern.compile(".*\\.(given|template|expect|converted)\\.yaml|README\\.md|blocks\\.yaml");
  private static final Options OPTIONS =
      new Options(DRIVER, DRIVER, TargetVersion.V1_36, "gpu.example.com", "4Gi");

  static List<Block> lintedBlocks() throws IOException {
    return Documents.blocks(block -> block.says() != null);
  }

  static List<Block> runBlocks() throws IOException {
    return Documents.blocks(block -> block.runs() != null);
  }

  static List<Block> convertedBlocks() throws IOException {
    return Documents.blocks(block -> block.converts() != null);
  }

  private static List<String> findings(String name, String text) {
    return new ManifestLinter(DRIVER, "")
        .of(List.of(new ManifestText(name, text))).findings().stream()
            .map(DocumentsTest::told)
            .toList();
  }

  private static String told(LintFinding finding) {
    return finding.object().isEmpty() ? finding.text() : finding.object() + ": " + finding.text();
  }

  @ParameterizedTest
  @MethodSource("lintedBlocks")
  void ofAManifestIsSaidWhyItIsNotForThisDriver(Block block) throws IOException {
    List<String> said = findings(block.file(), block.text());

    assertThat(said)
        .zipSatisfy(
            Preconditions.checkNotNull(block.says()),
            (is, begin) -> assertThat(is).startsWith(begin));
  }

  /** {@code -Dgolden.update=true} writes the files anew. */
  @ParameterizedTest
  @MethodSource("convertedBlocks")
  void aBlockOfALaterVersionIsConvertedAsIsWrittenDown(Block block) throws IOException {
    TranslationResult result = converted(block.file(), block.text());
    Path golden = Documents.SCENARIOS.resolve(block.applied());
    String text = Preconditions.checkNotNull(result.files().get(block.file()));
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(golden, text);
    }

    assertThat(result.remarks().stream().map(DocumentsTest::remarked))
        .containsExactlyElementsOf(Preconditions.checkNotNull(block.converts()));
    assertThat(text).isEqualTo(Files.readString(golden));
    assertThat(converted(block.file(), text).files()).containsEntry(block.file(), text);
    assertThat(findings(block.file(), text)).isEmpty();
  }

  @Test
  void aBlockThatIsRefusedIsSoForItsReason() throws IOException {
    for (Block block : Documents.blocks(block -> block.refused() != null)) {
      assertThat(converted(block.file(), block.text()).problems())
          .containsExactly(Preconditions.checkNotNull(block.refused()));
    }
  }

  private static TranslationResult converted(String name, String text) {
    return ManifestConversion.translator(OPTIONS).translate(List.of(new ManifestText(name, text)));
  }

  private static String remarked(TranslationRemark remark) {
    return "%s: %s".formatted(remark.weight().text(), remark.row().name());
  }

  @Test
  void eachConditionIsOneOfClaims() throws IOException {
    for (Block block : Documents.blocks(block -> block.conditions() > 0)) {
      List<String> conditions =
          block.text().lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
      assertThat(conditions).hasSize(block.conditions());
      assertThat(conditions).allSatisfy(one -> assertThat(findings(one, claiming(one))).isEmpty());
    }
  }

  private static String claiming(String condition) {
    return """
    apiVersion: gpu.resource.example.com/v1alpha1
    kind: GpuClaimParameters
    metadata: {name: x}
    spec:
      cel: |-
        %s
    """
        .formatted(condition);
  }

  @ParameterizedTest
  @MethodSource("runBlocks")
  void aBlockThatRunsIsAppliedByItsScenario(Block block) throws IOException {
    Scenario scenario = Scenario.read(Pages.ROOT.resolve(block.scenario()));

    assertThat(scenario.steps()).contains(new Step.Apply(block.applied()));
  }

  @Test
  void eachBlockIsThereAndSaysWhatComesOfIt() throws IOException {
    assertThat(Documents.blocks(block -> true))
        .hasSize(42)
        .allSatisfy(block -> assertThat(block.path()).exists())
        .allMatch(Block::saysWhatComesOfIt);
    try (Stream<Path> scenarios = Files.list(Documents.SCENARIOS);
        Stream<Path> others = Files.list(Documents.DIRECTORY)) {
      assertThat(
              Stream.concat(scenarios, others)
                  .filter(file -> !OF_OURS.matcher(file.getFileName().toString()).matches()))
          .containsExactlyInAnyOrderElementsOf(
              Documents.blocks(block -> true).stream().map(Block::path).toList());
    }
  }

  @Test
  void eachBlockThatIsConvertedRunsOrIsOnTheList() throws IOException {
    assertThat(Documents.blocks(block -> block.converts() != null || block.refused() != null))
        .allMatch(block -> block.runs() != null || block.cannot() != null);
  }

  @Test
  void everyPromiseIsShown() throws IOException {
    for (Document document : Documents.all()) {
      assertThat(document.promises()).hasSizeGreaterThan(10);
      assertThat(document.promises())
          .allMatch(promise -> promise.shownBy().isEmpty() != (promise.not() == null))
          .flatMap(Promise::shownBy)
          .allSatisfy(file -> assertThat(Pages.ROOT.resolve(file)).exists());
    }
  }

  @Test
  void whatCannotBeRunIsListedByNameWithTheReason() throws IOException {
    String list =
        Documents.blocks(block -> block.cannot() != null).stream()
            .map(block -> "| `%s` | %s |".formatted(block.file(), block.cannot()))
            .collect(Collectors.joining("\n"));

    assertThat(Files.readString(Documents.SCENARIOS.resolve("README.md"))).contains(list + "\n");
  }
}
