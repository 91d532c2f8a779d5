package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Each rule that is taken out to see whether tests notice is still where the lists say: what takes
 * them out is too long for every change.
 */
class MutantsTest {
  private static final Path ROOT = Path.of("../..");
  private static final Path MUTANTS = ROOT.resolve("hack/scenarios/mutants.d");

  /** As the scripts split them, so that none can be in an expression. */
  private static final Splitter COLUMNS = Splitter.on('|').trimResults();

  private static final Pattern EXTENDS = Pattern.compile("class \\w+ extends (\\w+)");
  private static final Splitter WORDS = Splitter.on(' ').omitEmptyStrings();

  @TestFactory
  Stream<DynamicTest> everyDifferenceApplies() throws IOException {
    return MoreFiles.listFiles(MUTANTS).stream()
        .filter(file -> file.toString().endsWith(".diff"))
        .map(file -> dynamicTest(file.getFileName().toString(), () -> applies(file)));
  }

  private static void applies(Path difference) throws IOException, InterruptedException {
    assertThat(output("git", "apply", "--check", difference.toRealPath().toString())).isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyExpressionChangesItsClass() throws IOException {
    return rows().map(row -> dynamicTest(row.what(), () -> changes(row)));
  }

  private static void changes(Row row) throws IOException, InterruptedException {
    Path source = SourceFiles.of("main", row.file());

    assertThat(output("sed", row.expression(), source.toRealPath().toString()))
        .isNotEmpty()
        .isNotEqualTo(Files.readString(source));
  }

  @TestFactory
  Stream<DynamicTest> everyTestIsThere() throws IOException {
    return rows()
        .flatMap(
            row ->
                WORDS
                    .splitToStream(row.tests())
                    .map(test -> dynamicTest(row.what(), () -> exists(row, test))));
  }

  private static void exists(Row row, String test) throws IOException {
    List<String> name = Splitter.on(CharMatcher.anyOf("#(")).splitToList(test);
    Path source = SourceFiles.of("test", row.testsIn() + "/" + name.get(0).replace('.', '/'));

    if (name.size() > 1) {
      assertThat(withInherited(source)).contains(" " + name.get(1) + "(");
    }
  }

  private static String withInherited(Path file) throws IOException {
    String source = Files.readString(file);
    Matcher parent = EXTENDS.matcher(source);
    if (!parent.find()) {
      return source;
    }
    Path tests = Path.of(file.toString().replaceFirst("(src/test/java)/.*", "$1"));
    try (Stream<Path> all = Files.walk(tests)) {
      for (Path one : all.filter(path -> path.endsWith(parent.group(1) + ".java")).toList()) {
        return source + withInherited(one);
      }
    }
    return source;
  }

  /** One line of a list, of a module's unit tests or of all tests of processes. */
  private record Row(boolean unit, String what, String file, String expression, String tests) {
    private static Row of(boolean unit, String line) {
      List<String> columns = COLUMNS.splitToList(line);
      assertThat(columns).as(line).hasSize(4);
      return new Row(unit, columns.get(0), columns.get(1), columns.get(2), columns.get(3));
    }

    private String testsIn() {
      return unit ? file.substring(0, file.indexOf('/')) : "scenarios/cluster";
    }
  }

  private static Stream<Row> rows() throws IOException {
    return Stream.concat(
        lines("unit.list").map(line -> Row.of(true, line)),
        lines("process.list").map(line -> Row.of(false, line)));
  }

  private static Stream<String> lines(String list) throws IOException {
    return Files.readAllLines(MUTANTS.resolve(list)).stream()
        .filter(line -> !line.isEmpty() && !line.startsWith("#"));
  }

  /** Of both streams, in the root of the project. */
  private static String output(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
    String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assertThat(process.exitValue()).as(all).isZero();
    return all;
  }
}
