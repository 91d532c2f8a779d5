package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The same with a program that is called as NVIDIA's is, and what it is told. */
class NvidiaMpsTest extends MpsProcessesTest {

  private Path program() {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")), "only root may make mounts");
    Path driver = directory.resolve("driver");
    if (Files.notExists(driver)) {
      Stubs.driver(driver, StubDriver.NEWEST, ImmutableList.of(), ImmutableList.of());
    }
    return driver.resolve("usr/bin").resolve(StubDriver.MPS_CONTROL);
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
    MpsProcesses servers =
        new MpsProcesses(directory.resolve("mps"), control(), Duration.ofSeconds(60));
    servers.start(new MpsServer("gpu-0", ImmutableSortedMap.of(), OptionalInt.empty()));
    Path memory = servers.paths("gpu-0").memory();

    assertThat(memory.resolve("cuda.shm")).as("written as /dev/shm/cuda.shm").exists();
    assertThat(Path.of("/dev/shm/cuda.shm")).doesNotExist();
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
