package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.os.FileLabels;
import io.gpudra.kubeletplugin.device.os.PrivateMounts;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The same with a program that is called as NVIDIA's is, and what it is told. */
class NvidiaMpsTest extends MpsProcessesTest {

  private static final Path OF_THE_NODE = Path.of("/dev/shm/cuda.shm");

  private static Optional<FileTime> written(Path file) throws IOException {
    return Files.exists(file) ? Optional.of(Files.getLastModifiedTime(file)) : Optional.empty();
  }

  private static final Path PROGRAM = Path.of("/usr/bin", StubDriver.MPS_CONTROL);

  private Path driver() {
    Stubs.assumeMounts(directory);
    Path driver = directory.resolve("driver");
    if (Files.notExists(driver)) {
      Stubs.driver(driver, StubDriver.NEWEST, ImmutableList.of(), ImmutableList.of());
    }
    return driver;
  }

  private Path beside(String what) {
    return driver().resolve("usr/bin").resolve(StubDriver.MPS_CONTROL + what);
  }

  @Override
  MpsControl control() {
    return new NvidiaMpsControl(driver(), PROGRAM, Optional.empty());
  }

  @Test
  void itIsToldItsLimitsBeforeAnyClientComes() throws IOException {
    new MpsProcesses(directory.resolve("mps"), control(), Duration.ofSeconds(60))
        .start(
            new MpsServer(
                "gpu-0",
                ImmutableSortedMap.of("GPU-7", 1L << 30, "GPU-0", 0L),
                OptionalInt.of(50)));

    assertThat(Files.readAllLines(beside(".serves"))).containsExactly("GPU-0,GPU-7 ");
    assertThat(Files.readAllLines(beside(".told")))
        .endsWith(
            "get_default_active_thread_percentage",
            "set_default_active_thread_percentage 50",
            "get_default_active_thread_percentage",
            "set_default_device_pinned_mem_limit 1 1024M",
            "get_default_device_pinned_mem_limit 1");
  }

  @Test
  void itsSharedMemoryIsThatOfItsClientsAndNobodyElses() throws IOException {
    Optional<FileTime> before = written(OF_THE_NODE);
    MpsProcesses servers =
        new MpsProcesses(directory.resolve("mps"), control(), Duration.ofSeconds(60));
    servers.start(new MpsServer("gpu-0", ImmutableSortedMap.of(), OptionalInt.empty()));
    Path memory = servers.paths("gpu-0").memory();

    assertThat(memory.resolve("cuda.shm")).as("written as /dev/shm/cuda.shm").exists();
    assertThat(written(OF_THE_NODE)).isEqualTo(before);
    assertThat(Files.getFileStore(memory).type()).isEqualTo("tmpfs");
    assertThat(Files.getPosixFilePermissions(memory)).hasSize(9);

    servers.stop("gpu-0");
    assertThat(Files.readString(Path.of("/proc/self/mounts")))
        .doesNotContain(directory.resolve("mps").toString());
    assertThat(memory).doesNotExist();
  }

  /** No quota counts what they leave, and it outlives them. */
  @Test
  void clientsFillNeitherTheMemoryNorTheDiskOfTheNode() throws IOException {
    servers().start(SERVER);
    MpsPaths paths = servers().paths("gpu-0");

    assertThat(Files.getFileStore(paths.memory()).getTotalSpace()).isEqualTo(1L << 30);
    assertThat(Files.getFileStore(paths.pipes()).getTotalSpace()).isEqualTo(4L << 20);
    assertThatThrownBy(() -> write(paths.pipes().resolve("large"), 5 << 20))
        .hasMessage("No space left on device");
    assertThatThrownBy(() -> makeMany(paths.pipes(), 4 << 10))
        .isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> makeMany(paths.memory(), 64 << 10))
        .isInstanceOf(FileSystemException.class);

    kill(process());
    servers().start(SERVER);
    assertThat(paths.pipes().resolve("large")).doesNotExist();
  }

  private static void write(Path file, int bytes) throws IOException {
    try (OutputStream to = Files.newOutputStream(file)) {
      to.write(new byte[bytes]);
    }
  }

  private static void makeMany(Path directory, int files) throws IOException {
    for (int i = 0; i < files; i++) {
      Files.createFile(directory.resolve("many-" + i));
    }
  }

  /** Of a plugin that mounted nothing there. */
  @Test
  void pipesThatContainersHaveMountedAreNotMountedOver() throws IOException {
    MpsPaths paths = servers().paths("gpu-0");
    createDirectories(paths);
    Files.createFile(paths.pipes().resolve("of-a-server-that-died"));

    servers().start(SERVER);

    assertThat(PrivateMounts.isMounted(paths.pipes())).isFalse();
  }

  /** Where SELinux labels files. */
  @Test
  void containersMayUseWhatAServerSharesWithThem() throws IOException {
    servers().start(SERVER);
    MpsPaths paths = servers().paths("gpu-0");
    FileLabels.set(paths.pipes(), "system_u:object_r:var_lib_t:s0");
    FileLabels.set(paths.memory(), "system_u:object_r:tmpfs_t:s0");
    kill(process());

    servers().start(SERVER);

    assertThat(FileLabels.get(paths.pipes())).contains("system_u:object_r:container_file_t:s0");
    assertThat(FileLabels.get(paths.memory())).contains("system_u:object_r:container_file_t:s0");
  }

  @Test
  void whoAsksNobodyHearsWhatTheProgramSays() throws IOException {
    MpsPaths paths = servers().paths("gpu-0");
    createDirectories(paths);
    assertThatThrownBy(() -> control().ask(paths, "quit", Duration.ofSeconds(60)))
        .hasMessage(PROGRAM + ": quit: Cannot find MPS control daemon process");
  }

  private static void createDirectories(MpsPaths paths) throws IOException {
    Files.createDirectories(paths.pipes());
    Files.createDirectories(paths.memory());
  }

  /** As on a node whose system is not that of our image. */
  @Test
  void itsCLibraryIsThatOfItsSystem() throws IOException {
    Path libraries = driver().resolve("usr/lib64");
    Files.writeString(libraries.resolve("libc.so.6"), "of another system");
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/driver")), Optional.empty(), directory);

    root.mps(directory.resolve("mps")).start(SERVER);

    assertThat(Files.readAllLines(beside(".serves"))).containsExactly("GPU-0 ");
  }

  /** As on a node whose driver comes with no more than its own files. */
  @Test
  void aDriverAloneRunsInTheSystemOfItsNode() throws IOException {
    Path node = driver();
    Path alone = Files.createDirectories(node.resolve("opt/nvidia"));
    Files.createDirectories(alone.resolve("bin"));
    Files.move(beside(""), alone.resolve("bin").resolve(StubDriver.MPS_CONTROL));
    Files.createDirectories(alone.resolve("lib64"));
    Files.createFile(alone.resolve("lib64/libnvidia-ml.so.1"));
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/opt/nvidia")), Optional.empty(), node);

    root.mps(directory.resolve("mps")).start(SERVER);

    assertThat(Files.readAllLines(alone.resolve("bin/" + StubDriver.MPS_CONTROL + ".serves")))
        .containsExactly("GPU-0 /opt/nvidia/lib64");
    Files.move(alone.resolve("bin").resolve(StubDriver.MPS_CONTROL), beside(""));
  }

  @Test
  void whatADeadOneLeftRunningIsEndedBeforeTheNextStarts() throws IOException {
    MpsProcesses servers = servers();
    servers.start(SERVER);
    ProcessHandle first = process();
    control().ask(servers.paths("gpu-0"), "start_server -uid 0", Duration.ofSeconds(60));
    ProcessTree processTree = new ProcessTree(directory.resolve("mps/gpu-0"));
    Awaitility.await().until(() -> processTree.all().size() == 2);

    kill(first);
    servers.revive();

    assertThat(process()).isNotEqualTo(first);
  }

  /** Settings of a server tell that it knows its limits. */
  @Test
  void aStartThatDiedHalfWayIsBegunAnew() throws IOException {
    servers().start(SERVER);
    kill(process());
    Faults faults = new Faults();
    MpsProcesses dying = servers(new FaultyMps.Control(control(), faults), Duration.ofSeconds(60));
    faults.dieAt(5);
    assertThatThrownBy(() -> dying.start(SERVER)).isInstanceOf(Faults.Death.class);
    Files.delete(beside(".told"));

    servers().start(SERVER);

    assertThat(Files.readAllLines(beside(".told")))
        .contains("set_default_active_thread_percentage 50");
  }
}
