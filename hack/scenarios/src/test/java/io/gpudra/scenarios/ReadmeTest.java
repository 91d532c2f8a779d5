package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The README promises nothing that no script runs. */
class ReadmeTest {
  private static final Path ROOT = Path.of("../..");
  private static final Pattern COMMANDS = Pattern.compile("(?ms)^```\\n((?:hack/|mvn ).*?)^```$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)(?:#[^)]*)?\\)");

  @Test
  void everyCommandIsRunByTheContinuousIntegration() throws IOException {
    List<String> run =
        Stream.concat(lines(".ci/run"), lines(".ci/real")).map(ReadmeTest::command).toList();
    List<String> commands =
        matches(COMMANDS, "README.md")
            .flatMap(block -> block.group(1).lines())
            .map(line -> line.replaceFirst("\\s+#.*", "").strip())
            .toList();

    assertThat(commands).hasSizeGreaterThan(4);
    assertThat(run).containsAll(commands);
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "manifests/MOVING.md"})
  void everyLinkLeadsSomewhere(String page) throws IOException {
    assertThat(matches(LINK, page).map(link -> link.group(1)).toList())
        .isNotEmpty()
        .allSatisfy(link -> assertThat(ROOT.resolve(page).resolveSibling(link)).exists());
  }

  private static Stream<String> lines(String script) throws IOException {
    return Files.readString(ROOT.resolve(script)).lines();
  }

  private static Stream<MatchResult> matches(Pattern pattern, String page) throws IOException {
    return pattern.matcher(Files.readString(ROOT.resolve(page))).results();
  }

  /**
   * What a line runs, without the waiting around it, without what keeps Maven's output short and
   * its tests from being skipped, and without what only a test looks at.
   */
  private static String command(String line) {
    return line.replaceFirst("^timed ", "")
        .replaceFirst("^briefly ", "")
        .replaceFirst("^until_it_says \"[^\"]*\" ", "")
        .replace(" --batch-mode --no-transfer-progress -Dnvidia.required=true", "")
        .replaceFirst(" --audit-log \\S+", "");
  }
}
