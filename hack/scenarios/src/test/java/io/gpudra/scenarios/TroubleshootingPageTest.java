package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of symptoms quotes the commands as their tests do. */
class TroubleshootingPageTest {
  private static final int ANSWER = 3;
  private static final Splitter CELLS = Splitter.on('|');
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  @Test
  void everyAnswerIsThatOfATest() throws IOException {
    String tests = tests("hack/scenarios/src", "controller/kubectl/src", "kubeletplugin/src");
    List<String> answers =
        Pages.text("docs/operate/troubleshooting.md")
            .replaceFirst("(?s).*## Symptoms(.*?)\\n## .*", "$1")
            .lines()
            .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
            .flatMap(row -> QUOTED.matcher(CELLS.splitToList(row).get(ANSWER)).results())
            .map(answer -> answer.group(1).strip())
            .toList();

    assertThat(answers).hasSizeGreaterThanOrEqualTo(20).allMatch(tests::contains);
  }

  /** The text of all tests, as Java reads it. */
  private static String tests(String... modules) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String module : modules) {
      try (Stream<Path> files = Files.walk(Pages.ROOT.resolve(module))) {
        text.append(
            files
                .map(file -> Pages.ROOT.relativize(file).toString())
                .filter(file -> file.endsWith("Test.java"))
                .map(Pages::text)
                .collect(Collectors.joining()));
      }
    }
    return text.toString().replace("\\\"", "\"");
  }
}
