package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.device.program.OwnMounts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The same with a program that is called as NVIDIA's is, and what it is told. */
class NvidiaMpsTest extends MpsProcessesTest {

  private static final Path OF_THE_NODE = Path.of("/dev/shm/cuda.shm");

  private static Optional<FileTime> written(Path file) throws IOException {
    return Files.exists(file) ? Optional.of(Files.getLastModifiedTime(file)) : Optional.empty();
  }

  private Path program() {
    Assumptions.assumeTrue(mayMount(), "only a privileged process may make mounts");
    Path driver = directory.resolve("driver");
    if (Files.notExists(driver)) {
      Stubs.driver(driver, StubDriver.NEWEST, ImmutableList.of(), ImmutableList.of());
    }
    return driver.resolve("usr/bin").resolve(StubDriver.MPS_CONTROL);
  }

  private boolean mayMount() {
    try {
      OwnMounts.mountMemory(directory);
      OwnMounts.unmount(directory);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  MpsControl control() {
    return new NvidiaMpsControl(program(), Path.of("/driver/lib64"));
  }

  @Test
  void itIsToldItsLimitsBeforeAnyClientComes() throws IOException {
    new MpsProcesses(directory.resolve("mps"), control(), Duration.ofSeconds(60))
        .start(
            new MpsServer(
                "gpu-0",
                ImmutableSortedMap.of("GPU-0", 1L << 30, "MIG-7", 0L),
                OptionalInt.of(50)));

    assertThat(Files.readAllLines(Path.of(program() + ".serves")))
        .containsExactly("GPU-0,MIG-7 /driver/lib64");
    assertThat(Files.readAllLines(Path.of(program() + ".told")))
        .endsWith(
            "get_default_active_thread_percentage",
            "set_default_active_thread_percentage 50",
            "set_default_device_pinned_mem_limit GPU-0 1024M");
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
    assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(memory.toString());
    assertThat(memory).doesNotExist();
  }

  @Test
  void whoAsksNobodyHearsWhatTheProgramSays() {
    assertThatThrownBy(() -> control().ask(directory, "quit", Duration.ofSeconds(60)))
        .hasMessage(program() + ": quit: Cannot find MPS control daemon process");
  }
}
