package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
  private static final Splitter COLUMNS = Splitter.on(" | ");

  @TestFactory
  Stream<DynamicTest> every_difference_applies() throws IOException {
    return MoreFiles.listFiles(MUTANTS).stream()
        .filter(file -> file.toString().endsWith(".diff"))
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> applies(file)));
  }

  private static void applies(Path difference) throws IOException, InterruptedException {
    assertThat(output("git", "apply", "--check", difference.toRealPath().toString())).isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> every_expression_changes_its_class() throws IOException {
    return Stream.of("unit.list", "process.list")
        .flatMap(MutantsTest::rows)
        .map(row -> DynamicTest.dynamicTest(row.get(0), () -> changes(row.get(1), row.get(2))));
  }

  private static void changes(String path, String expression)
      throws IOException, InterruptedException {
    String module = path.substring(0, path.indexOf('/'));
    Path source = ROOT.resolve(module + "/src/main/java/io/gpudra/" + path + ".java");

    assertThat(source).exists();
    assertThat(output("sed", expression, source.toRealPath().toString()))
        .isNotEmpty()
        .isNotEqualTo(Files.readString(source));
  }

  private static Stream<List<String>> rows(String list) {
    try {
      return Files.readAllLines(MUTANTS.resolve(list)).stream()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(COLUMNS::splitToList);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of both streams, in the root of the project. */
  private static String output(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
    String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return all;
  }
}
