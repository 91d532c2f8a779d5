package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.scenarios.script.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts the demo as {@code hack/demo} does, once it is built. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class DemoTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final long RUN_LIMIT_SECONDS = 180;
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private final Path directory;
  private final List<Process> started = new ArrayList<>();

  DemoTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void end() {
    started.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
    started.forEach(Process::destroyForcibly);
  }

  /** One cluster for both: it takes as long to start as the examples take. */
  @Test
  void theTourPassesAndAChildThatDiesIsNamedWithItsExitCodeAndItsLog() throws Exception {
    Process demo = start(ROOT, "demo", "--keep");
    await().atMost(LIMIT).until(() -> output().contains("the cluster stays up"));
    assertThat(output())
        .contains("%1$d of %1$d scenarios passed".formatted(tour()))
        .contains("export KUBECONFIG=")
        .doesNotContain("FAIL")
        .doesNotContain("\033");
    demo.descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("worker-1"))
        .forEach(ProcessHandle::destroyForcibly);
    assertThat(demo.waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(output()).contains("plugin-worker-1 died with exit code 137; last lines of ");
    assertThat(demo.exitValue()).isEqualTo(1);
    assertThat(demo.descendants()).isEmpty();
    assertThat(temporaryDirectoriesOf(demo)).isEmpty();
  }

  private static long tour() throws IOException {
    return Scenario.all(ROOT.resolve("manifests/examples")).stream()
        .filter(scenario -> scenario.kind().tour())
        .count();
  }

  @Test
  void whatOthersHaveWrittenPasses() throws Exception {
    Path documents = ROOT.resolve("hack/scenarios/documents");
    Process demo = start(ROOT, "demo", "--all", "--examples", documents.toString());
    assertThat(demo.waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(output())
        .contains("%1$d of %1$d scenarios passed".formatted(Scenario.all(documents).size()))
        .doesNotContain("FAIL");
    assertThat(demo.exitValue()).isZero();
  }

  /** One cluster for all: it takes longer to start than they take to run. */
  @Test
  void aBrokenOrEmptyExpectationFailsWithTheReasonAndAPathMayHave120Characters() throws Exception {
    String name = "x".repeat(Math.max(1, 119 - directory.toString().length()));
    Path longPath = Files.createSymbolicLink(directory.resolve(name), ROOT);
    assertThat(longPath.toString()).hasSizeGreaterThanOrEqualTo(120);
    Process demo = start(longPath, "demo", "--all", "--examples", twoBroken().toString());
    assertThat(demo.waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    Files.delete(longPath);
    assertThat(output())
        .contains("FAIL  01-two-pods")
        .containsPattern("container pod1/ctr0: expected 2 GPUs, saw gpu-\\d on worker-\\d")
        .contains("FAIL  02-two-containers")
        .contains("pod0/bystander: is met with {\"model\":\"!X\"}, too")
        .contains("PASS  04-four-gpus")
        .contains("1 of 3 scenarios passed");
    assertThat(demo.exitValue()).isEqualTo(1);
  }

  private Path twoBroken() throws IOException {
    Path examples = Files.createDirectory(directory.resolve("examples"));
    for (String example : List.of("01-two-pods", "02-two-containers", "04-four-gpus")) {
      for (String file : List.of(example + ".yaml", example + ".expect.yaml")) {
        String text = Files.readString(ROOT.resolve("manifests/examples").resolve(file));
        Files.writeString(
            examples.resolve(file),
            text.replace("pod1/ctr0: {gpus: 1}", "pod1/ctr0: {gpus: 2}")
                .replace("bystander: {gpus: 0}", "bystander: {gpus: 0, model: X}"));
      }
    }
    return examples;
  }

  @Test
  void anUnknownNameIsAnsweredWithTheKnownOnes() throws Exception {
    Process demo = start(ROOT, "demo", "five-gpus");
    assertThat(demo.waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(output()).contains("no scenario five-gpus").contains("04-four-gpus");
    assertThat(demo.exitValue()).isEqualTo(2);
  }

  @Test
  void aLocalClusterSaysOneLineWhenItIsReadyAndLeavesNothingWhenStopped() throws Exception {
    Path kubeconfig = directory.resolve("kubeconfig");
    Process cluster =
        start(ROOT, "localcluster", "--nodes=1", "--profile=mixed", "--kubeconfig=" + kubeconfig);
    await().atMost(LIMIT).until(() -> output().contains("ready: "));
    assertThat(output().lines()).hasSize(1);
    assertThat(output()).contains("nodes: 1");
    assertThat(kubeconfig).content().contains("server: http://127.0.0.1:");
    List<ProcessHandle> children = cluster.descendants().toList();
    assertThat(children).hasSize(2);
    assertThat(temporaryDirectoriesOf(cluster)).hasSize(1);
    cluster.destroy();
    assertThat(cluster.waitFor(RUN_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(children).noneMatch(ProcessHandle::isAlive);
    assertThat(temporaryDirectoriesOf(cluster)).isEmpty();
  }

  @Test
  void theAPIServerCanBeHadAlone() throws Exception {
    Process server = start(ROOT, "localcluster", "--api-only", "--port=0");
    await().atMost(LIMIT).until(() -> output().contains("ready: API server http://127.0.0.1:"));
    assertThat(output().lines()).hasSize(1);
    assertThat(server.descendants()).isEmpty();
  }

  private Process start(Path root, String command, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("@" + root.resolve("hack/scenarios/jvm.options"));
    line.add("-jar");
    line.add(jar(root).toString());
    line.addAll(List.of(command, "--root", root.toString()));
    line.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile())
            .start();
    started.add(process);
    return process;
  }

  private static Path jar(Path root) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve("hack/scenarios/target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("gpudra-scenarios-.*\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  private String output() throws IOException {
    return Files.readString(directory.resolve("output"));
  }

  private static List<Path> temporaryDirectoriesOf(Process process) throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/tmp"))) {
      String prefix = "gpudra-" + process.pid() + "-";
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
  }
}
