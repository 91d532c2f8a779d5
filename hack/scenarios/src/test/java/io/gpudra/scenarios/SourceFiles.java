package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where a class of the project is written, whichever module it is in. */
public final class SourceFiles {

  /** The modules that are shipped. */
  public static final ImmutableList<String> PRODUCT =
      ImmutableList.of(
          "crds",
          "process",
          "controller/cel",
          "controller/core",
          "controller/gates",
          "controller/client",
          "controller/cluster",
          "controller/webhook",
          "controller/manager",
          "controller/manifests",
          "controller/kubectl",
          "kubeletplugin");

  private SourceFiles() {}

  /** The files of a module's product code. */
  public static ImmutableList<Path> of(String module) throws IOException {
    return below(Pages.ROOT.resolve(module).resolve("src/main/java"));
  }

  /** The files of the tests of all modules, and of the scenarios. */
  static ImmutableList<Path> tests() throws IOException {
    ImmutableList.Builder<Path> all = ImmutableList.builder();
    for (String module : PRODUCT) {
      all.addAll(below(Pages.ROOT.resolve(module).resolve("src/test/java")));
    }
    return all.addAll(below(Pages.ROOT.resolve("hack/scenarios/src/test/java"))).build();
  }

  private static ImmutableList<Path> below(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).collect(toImmutableList());
    }
  }

  /**
   * The file of a class.
   *
   * @param code {@code main} or {@code test}
   * @param type its name below {@code io.gpudra}, with slashes
   */
  static Path of(String code, String type) {
    return Stream.concat(PRODUCT.stream(), Stream.of("hack/scenarios", "hack/simulator"))
        .map(module -> below(Pages.ROOT.resolve(module), code).resolve(type + ".java"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no module has " + type + ".java"));
  }

  /** Where the classes of a module are, below {@code io.gpudra}. */
  private static Path below(Path module, String code) {
    return module.resolve("src/%s/java/io/gpudra".formatted(code));
  }

  /**
   * Fails unless there is such a test, and it runs. Other modules' tests are not on the class path,
   * so their sources are read.
   *
   * @param test its name below {@code io.gpudra}, as {@code controller.dra.ScenarioTest.works}
   */
  static void assertIsATest(String test) throws IOException {
    int dot = test.lastIndexOf('.');
    String type = test.substring(0, dot).replace('.', '/');

    // Surefire would not pick up any other name.
    assertThat(type).endsWith("Test");
    assertThat(annotationsOf(test.substring(dot + 1), Files.readString(of("test", type))))
        .containsPattern("(?m)^  @(Test|ParameterizedTest|TestFactory|Property)\\b");
  }

  /** And whatever else is between the method and the end of the one before. */
  private static String annotationsOf(String method, String source) {
    int at = source.indexOf(" " + method + "(");
    assertThat(at).as("method %s", method).isPositive();
    return source.substring(Math.max(0, source.lastIndexOf("\n  }\n", at)), at);
  }
}
