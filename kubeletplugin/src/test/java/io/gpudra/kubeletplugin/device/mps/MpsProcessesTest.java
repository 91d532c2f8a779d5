package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With real processes. */
class MpsProcessesTest {

  private static final MpsServer SERVER =
      new MpsServer("gpu-0", ImmutableSortedMap.of("GPU-0", 1L << 30), OptionalInt.of(50));

  @TempDir Path directory = Path.of("");

  private MpsProcesses servers(MpsControl control, Duration patience) {
    return new MpsProcesses(directory.resolve("mps"), control, patience);
  }

  private MpsProcesses servers(ImmutableList<String> program, Duration patience) {
    return servers(new FakeMpsControl(program), patience);
  }

  /** Each test has one kind of server. */
  MpsControl control() {
    return new FakeMpsControl();
  }

  private MpsProcesses servers() {
    return servers(control(), Duration.ofSeconds(60));
  }

  @AfterEach
  void endAll() throws IOException {
    servers().stopAll();
  }

  private ProcessHandle process() throws IOException {
    String known = Files.readString(directory.resolve("mps/gpu-0/process"));
    return ProcessHandle.of(Long.parseLong(known.substring(0, known.indexOf(' ')))).orElseThrow();
  }

  @Test
  void runsOneUntilItIsStopped() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle process = process();
    assertThat(process.isAlive()).isTrue();
    assertThat(servers.paths("gpu-0").pipes()).isNotEmptyDirectory();

    servers.start(SERVER);
    assertThat(process()).as("it runs already").isEqualTo(process);

    servers.stop("gpu-0");
    servers.stop("gpu-0");
    assertThat(process.isAlive()).isFalse();
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
  }

  @Test
  void theNextProcessFindsItAndCanEndIt() throws IOException {
    servers().start(SERVER);
    ProcessHandle process = process();

    MpsProcesses next = servers();
    next.start(SERVER);
    assertThat(process()).isEqualTo(process);
    next.stopAll();

    assertThat(process.isAlive()).isFalse();
  }

  @Test
  void oneThatDiesIsStartedAgainAndOneThatIsStoppedIsNot() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle first = process();
    first.destroyForcibly();
    first.onExit().join();

    servers.revive();

    ProcessHandle second = process();
    assertThat(second.isAlive()).isTrue();
    servers.stop("gpu-0");
    servers.revive();
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
  }

  @Test
  void otherSettingsNeedAnotherServer() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle first = process();

    servers.start(new MpsServer("gpu-0", SERVER.pinnedMemory(), OptionalInt.of(25)));

    assertThat(first.isAlive()).isFalse();
    assertThat(process().isAlive()).isTrue();
  }

  @Test
  void oneThatNeverAnswersFailsInTimeAndIsEnded() {
    MpsProcesses servers = servers(ImmutableList.of("sleep", "600"), Duration.ofMillis(200));

    assertThatThrownBy(() -> servers.start(SERVER))
        .isInstanceOf(IOException.class)
        .hasMessage("MPS server of gpu-0 does not answer after 200 ms");
    assertThat(directory.resolve("mps/gpu-0")).doesNotExist();
    assertThat(ProcessHandle.current().children()).noneMatch(ProcessHandle::isAlive);
  }

  @Test
  void oneThatEndsAtOnceSaysSo() {
    assertThatThrownBy(
            () -> servers(ImmutableList.of("false"), Duration.ofSeconds(60)).start(SERVER))
        .hasMessageContaining("ended with status 1");
  }
}
