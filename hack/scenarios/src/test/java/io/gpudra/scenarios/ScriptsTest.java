package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/** A script that tests something shows nothing as long as nobody runs it. */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ScriptsTest {
  private static final Path ROOT = Path.of("../..");
  private static final List<String> RUNNERS = List.of(".ci/run", ".ci/real", "hack/full");
  private static final ImmutableSet<String> TESTS = ImmutableSet.of("test", "lifecycle");
  private static final Pattern MODE = Pattern.compile("(?m)^  (--[a-z-]+)\\) run_");

  /** Its test class is one of those of {@code mvn verify}. */
  private static final String IN_VERIFY = "hack/nvidia/cdi/test";

  @Test
  void everyScriptThatTestsIsRun() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("hack"))) {
      List<String> tests =
          files
              .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
              .filter(file -> TESTS.contains(file.getFileName().toString()))
              .map(file -> ROOT.relativize(file).toString())
              .filter(file -> !file.equals(IN_VERIFY))
              .toList();
      assertThat(tests).hasSizeGreaterThan(3);
      assertThat(tests).allSatisfy(test -> assertThat(commands()).contains(" " + test + "\n"));
    }
  }

  @Test
  void everyModeOfTheTestsOnARealClusterIsRun() throws IOException {
    List<String> modes =
        MODE.matcher(Files.readString(ROOT.resolve("hack/e2e")))
            .results()
            .map(mode -> mode.group(1))
            .toList();
    assertThat(modes).hasSizeGreaterThan(2);
    assertThat(modes)
        .allSatisfy(mode -> assertThat(commands()).containsPattern(" hack/e2e " + mode + "[ \n]"));
  }

  private static String commands() throws IOException {
    StringBuilder commands = new StringBuilder();
    for (String runner : RUNNERS) {
      commands.append(
          Files.readString(ROOT.resolve(runner))
              .lines()
              .filter(line -> !line.startsWith("#"))
              .collect(Collectors.joining("\n", "", "\n")));
    }
    return commands.toString();
  }
}
