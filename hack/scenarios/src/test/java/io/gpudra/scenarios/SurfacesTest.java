package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** SECURITY.md lists what others can write to, all of it, with tests that there are. */
class SurfacesTest {
  private static final Path ROOT = Path.of("../..");
  private static final ImmutableList<String> MODULES =
      ImmutableList.of("crds", "process", "controller", "kubeletplugin", "hack/scenarios");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)`.*\\| ([^|]+) \\|$");
  private static final Pattern PORT = Pattern.compile("names = \"(--[a-z-]*port)\"");
  private static final Pattern HOST_PATH = Pattern.compile("hostPath:\\s+path: (\\S+)");
  private static final Pattern KINDS_READ =
      Pattern.compile(
          "resources: \\[([^\\]]+)\\]\\n(?: +#.*\\n| +resourceNames:.*\\n)* +verbs: \\[.*get.*\\]");
  private static final Pattern KINDS_REVIEWED =
      Pattern.compile("resources: \\[([^\\]]+)\\]\\n +scope: ");

  /** Of the nodes of a development cluster only. */
  private static final Path FAKES = Path.of("manifests/components/hack-cluster");

  @Test
  void everyPortIsListed() throws IOException {
    assertThat(listed("port")).isEqualTo(found(PORT, "controller", "kubeletplugin", "process"));
  }

  @Test
  void everyPathOfANodeIsListed() throws IOException {
    assertThat(listed("path of a node"))
        .isEqualTo(found(HOST_PATH, "manifests/base", "manifests/components"));
  }

  @Test
  void everyKindOfObjectsThatIsReadIsListed() throws IOException {
    ImmutableSet<String> kinds =
        Stream.of(found(KINDS_READ, "manifests"), found(KINDS_REVIEWED, "manifests"))
            .flatMap(ImmutableSet::stream)
            .flatMap(resources -> Arrays.stream(resources.split(", ")))
            .map(resource -> resource.replaceFirst("/.*", ""))
            .collect(toImmutableSet());

    assertThat(listed("objects")).isEqualTo(kinds);
  }

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    ImmutableSet<String> tests =
        files(MODULES, "Test.java")
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(toImmutableSet());
    ImmutableSet<String> named =
        Pattern.compile("`(\\w+Test)`")
            .matcher(Files.readString(ROOT.resolve("SECURITY.md")))
            .results()
            .map(test -> test.group(1))
            .collect(toImmutableSet());

    assertThat(named).hasSizeGreaterThan(20);
    assertThat(tests).containsAll(named);
  }

  /** First column of the table with this heading; its last column must name a test. */
  private static ImmutableSet<String> listed(String heading) throws IOException {
    String page = Files.readString(ROOT.resolve("SECURITY.md"));
    String table = page.substring(page.indexOf("| %s |".formatted(heading))).split("\n\n", 2)[0];
    return ROW.matcher(table)
        .results()
        .peek(row -> assertThat(row.group(2)).as(row.group(1)).contains("Test`"))
        .map(row -> row.group(1))
        .collect(toImmutableSet());
  }

  private static ImmutableSet<String> found(Pattern pattern, String... below) throws IOException {
    ImmutableSet.Builder<String> found = ImmutableSet.builder();
    for (Path file :
        files(ImmutableList.copyOf(below), ".java", ".yaml")
            .filter(one -> !one.toString().contains("/src/test/"))
            .toList()) {
      pattern.matcher(Files.readString(file)).results().forEach(one -> found.add(one.group(1)));
    }
    return found.build();
  }

  private static Stream<Path> files(ImmutableList<String> below, String... ends)
      throws IOException {
    ImmutableList.Builder<Path> files = ImmutableList.builder();
    for (String directory : below) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(directory))) {
        all.filter(file -> !file.startsWith(ROOT.resolve(FAKES)))
            .filter(file -> !file.toString().contains("/target/"))
            .filter(file -> Arrays.stream(ends).anyMatch(file.toString()::endsWith))
            .forEach(files::add);
      }
    }
    return files.build().stream();
  }
}
