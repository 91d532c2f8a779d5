package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.kubeletplugin.device.os.PrivateMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NVIDIA's own daemons, as we start, limit, ask and stop them. None of it needs a GPU. */
@Tag("nvidia")
class NvidiaDaemonTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FIRST = "GPU-11111111-2222-3333-4444-555555555555";
  private static final String SECOND = "GPU-22222222-2222-3333-4444-555555555555";

  /** Asks a daemon for a server as the library of a process does, and waits for it. */
  private static final String CLIENT =
      """
      import os, socket, struct, sys
      path, user = sys.argv[1], int(sys.argv[2])
      daemon = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      daemon.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
      daemon.connect(path)
      os.setgid(user)
      os.setuid(user)
      daemon.recv(64)
      credentials = struct.pack("iII", os.getpid(), user, user)
      daemon.sendmsg([b"OUTBCRED\\0"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, credentials)])
      daemon.sendall(struct.pack("i", 2))
      daemon.recv(64)
      """;

  @TempDir Path directory = Path.of("");
  private final List<Process> clients = new ArrayList<>();

  private Path state() {
    return directory.resolve("mps");
  }

  private MpsProcesses servers(NvidiaPrograms programs) {
    return new MpsProcesses(state(), programs.control(), PATIENCE);
  }

  private static MpsServer server(long pinnedOfTheSecond, OptionalInt threads) {
    return new MpsServer(
        "gpu-0", ImmutableSortedMap.of(FIRST, 0L, SECOND, pinnedOfTheSecond), threads);
  }

  private String ask(NvidiaPrograms programs, String command) throws IOException {
    return programs.control().ask(servers(programs).paths("gpu-0"), command, PATIENCE);
  }

  private ImmutableList<ProcessHandle> processes() {
    return new ProcessTree(state().resolve("gpu-0")).all();
  }

  @AfterEach
  void endAll() throws IOException {
    clients.forEach(Process::destroyForcibly);
    processes().forEach(ProcessHandle::destroyForcibly);
    for (String mounted : ImmutableList.of("shm", "nvidia-mps")) {
      PrivateMounts.unmount(state().resolve("gpu-0").resolve(mounted));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mps-535", "mps-550", "mps-newest"})
  void itHasTheLimitsThatItWasGivenAndEndsWhenItIsStopped(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    servers(programs).start(server(1500L << 20, OptionalInt.of(40)));

    assertThat(ask(programs, "get_default_active_thread_percentage")).isEqualTo("40.0");
    assertThat(ask(programs, "get_default_device_pinned_mem_limit 0")).isEmpty();
    assertThat(ask(programs, "get_default_device_pinned_mem_limit 1")).isEqualTo("1G");

    servers(programs).stop("gpu-0");
    assertThat(processes()).isEmpty();
    assertThat(state().resolve("gpu-0")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = "mps-470")
  void anOldOneRefusesALimitOfMemoryAndNoOther(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);

    assertThatThrownBy(() -> servers(programs).start(server(1L << 30, OptionalInt.empty())))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "MPS server of gpu-0 did not take memory limit 1024M of %s and answers \"Unknown command"
                    .formatted(SECOND)
                + " \"get_default_device_pinned_mem_limit\"\": it takes driver 495 or newer; update"
                + " the driver, or claim without a limit of memory");
    assertThat(processes()).isEmpty();

    servers(programs).start(server(0, OptionalInt.of(40)));
    assertThat(ask(programs, "get_default_active_thread_percentage")).isEqualTo("40.0");
  }

  /** Why limits are given by place, and read back. */
  @ParameterizedTest
  @ValueSource(strings = {"mps-535", "mps-550", "mps-newest"})
  void itPassesOverALimitByUuidAndAnImpossiblePercentage(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    servers(programs).start(server(0, OptionalInt.empty()));

    assertThat(ask(programs, "set_default_device_pinned_mem_limit " + FIRST + " 512M")).isEmpty();
    assertThat(ask(programs, "get_default_device_pinned_mem_limit " + FIRST)).isEmpty();
    assertThat(ask(programs, "get_default_device_pinned_mem_limit 0")).isEmpty();
    assertThat(ask(programs, "set_default_active_thread_percentage 101")).isEqualTo("100.0");
    assertThat(ask(programs, "set_default_device_pinned_mem_limit 0 0M")).isEmpty();
    assertThat(ask(programs, "get_default_device_pinned_mem_limit 0")).isEmpty();
  }

  /** Then quit fails. */
  @ParameterizedTest
  @ValueSource(strings = {"mps-470", "mps-535", "mps-550", "mps-newest"})
  void oneWhoseServerFailedIsStopped(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    servers(programs).start(server(0, OptionalInt.empty()));
    assertThat(ask(programs, "start_server -uid 0")).isEmpty();
    awaitLog("exited with status 1");

    servers(programs).stop("gpu-0");

    assertThat(processes()).isEmpty();
    assertThat(state().resolve("gpu-0")).doesNotExist();
  }

  /** Then quit does not end. */
  @ParameterizedTest
  @ValueSource(strings = {"mps-535", "mps-550", "mps-newest"})
  void oneThatWaitsForItsClientsIsStopped(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    programs.serverStays();
    servers(programs).start(server(0, OptionalInt.empty()));
    connect(1000);
    awaitLog("Starting new server");
    assertThat(processes()).hasSize(2);

    new MpsProcesses(state(), programs.control(), Duration.ofSeconds(1)).stop("gpu-0");

    assertThat(processes()).isEmpty();
    assertThat(state().resolve("gpu-0")).doesNotExist();
  }

  /** So that it can be emptied meanwhile. */
  @ParameterizedTest
  @ValueSource(strings = "mps-550")
  void whatItSaysComesAfterWhatItSaidBefore(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    servers(programs).start(server(0, OptionalInt.empty()));
    Path log = state().resolve("gpu-0/control.log");
    Files.write(log, new byte[0]);

    ask(programs, "get_server_list");

    awaitLog("get_server_list");
    assertThat(Files.readString(log)).startsWith("[");
  }

  private void awaitLog(String words) {
    Path log = state().resolve("gpu-0/control.log");
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(Files.readString(log)).contains(words));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mps-470", "mps-535", "mps-550", "mps-newest"})
  void itSaysWhoWaitsForThoseOfAnotherUser(String name) throws IOException {
    NvidiaPrograms programs = NvidiaPrograms.of(name, directory);
    programs.serverStays();
    MpsProcess process = new MpsProcess(state().resolve("gpu-0"), programs.control(), PATIENCE);
    process.start(server(0, OptionalInt.empty()));

    connect(1000);
    awaitLog("Starting new server");
    assertThat(process.queue()).isEmpty();
    connect(1000);
    connect(2000);
    awaitLog("from user 2000");

    assertThat(process.queue())
        .isEqualTo(Optional.of(new ControlLog.Queue("1000", ImmutableSortedSet.of("2000"))));
  }

  private void connect(int user) throws IOException {
    Path daemon = state().resolve("gpu-0/nvidia-mps").resolve(MpsControl.PIPE);
    try {
      clients.add(
          new ProcessBuilder("python3", "-c", CLIENT, daemon.toString(), String.valueOf(user))
              .inheritIO()
              .start());
    } catch (IOException e) {
      Assumptions.abort("no Python for a client: " + e.getMessage());
    }
  }
}
