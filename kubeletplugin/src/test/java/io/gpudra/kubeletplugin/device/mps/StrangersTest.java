package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of others and names that others chose, for a plugin that is root. */
class StrangersTest {

  private static final Path SERVER = Path.of("/state/mps/gpu-0");
  private static final String MARK = "GPUDRA_MPS_DIRECTORY=" + SERVER;

  @TempDir Path directory = Path.of("");
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endAll() {
    started.stream().flatMap(Process::descendants).forEach(ProcessHandle::destroyForcibly);
    started.forEach(Process::destroyForcibly);
  }

  /** In this order. */
  private ProcessHandle process(String... environment) throws IOException {
    List<String> command = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    command.addAll(List.of(environment));
    // Another exec would empty the environment for a moment.
    command.addAll(List.of("/bin/sh", "-c", "echo; read -r unused"));
    Process process = new ProcessBuilder(command).start();
    started.add(process);
    assertThat(process.getInputStream().read()).isEqualTo('\n');
    return process.toHandle();
  }

  @Test
  void ofAProcessNoMoreIsReadThanAServerHas() throws IOException {
    ProcessTree processTree = new ProcessTree(SERVER);

    assertThat(processTree.runs(process("A=small", MARK))).isTrue();
    assertThat(processTree.runs(process("A=" + "x".repeat(ProcessTree.MAX_BYTES), MARK))).isFalse();
  }

  /** A container can carry any environment, and would be ended with a server. */
  @Test
  void aProcessInAContainerIsNoServer() throws IOException {
    Process process =
        new ProcessBuilder(
                "unshare", "--pid", "--fork", "env", MARK, "sh", "-c", "echo; exec sleep 600")
            .start();
    started.add(process);
    Assumptions.assumeTrue(
        process.getInputStream().read() == '\n', "only root may have a namespace of processes");
    ProcessTree processTree = new ProcessTree(SERVER);
    ProcessHandle own = process(MARK);

    assertThat(processTree.all()).containsExactly(own);
  }

  @Test
  void aServerIsFoundAmongAllThatIsReadOfIt() throws IOException {
    Map<String, String> environment = new HashMap<>(Map.of("A", "small"));
    new ProcessTree(SERVER).mark(environment);
    assertThat(environment).containsEntry("GPUDRA_MPS_DIRECTORY", "/state/mps/gpu-0");

    environment.put("B", "x".repeat(ProcessTree.MAX_BYTES));
    assertThatThrownBy(() -> new ProcessTree(SERVER).mark(environment))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("at most 65536 are read again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", "../victim", "victim/..", "", "GPU-0", "-", "a b", "gpu-0\n"})
  void whatIsNoNameOfADeviceBecomesNoPath(String name) throws IOException {
    Path victim = Files.createDirectories(directory.resolve("victim"));
    MpsProcesses servers =
        new MpsProcesses(
            Files.createDirectories(directory.resolve("mps")),
            new FakeMpsControl(),
            Duration.ofSeconds(1));

    servers.stop(name);
    servers.stop(victim.toString());

    assertThat(victim).exists();
    assertThat(directory.resolve("mps")).isEmptyDirectory();
    assertThatThrownBy(() -> servers.paths(name)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> servers.start(new MpsServer(name, ImmutableSortedMap.of(), OptionalInt.empty())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a name must match [a-z0-9][a-z0-9.-]{0,62}");
  }
}
