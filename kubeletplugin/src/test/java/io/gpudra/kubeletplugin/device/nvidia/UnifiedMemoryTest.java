package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnifiedMemoryTest {

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  /** As on a node that has just booted. */
  @BeforeEach
  void boot() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.gpus(1), ImmutableList.of());
    Files.delete(node());
  }

  private Path node() {
    return directory.resolve("dev/nvidia-uvm");
  }

  private UnifiedMemory memory() throws IOException {
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), directory);
    return new UnifiedMemory(() -> root, directory.resolve("dev"));
  }

  private void addProgram() throws IOException {
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "only root may change a process's root");
    stub.addModprobe();
  }

  @Test
  void theProgramOfTheDriverLoadsItForContainers() throws IOException {
    addProgram();
    try (NvidiaDevices devices = Stubs.open(stub, new FakeMpsServers())) {
      assertThat(devices.driverEdits().deviceNodes())
          .extracting(DeviceNode::path)
          .containsExactly("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");
    }
  }

  @Test
  void withoutTheProgramContainersGoWithoutAndOneIsToldWhatToDo() throws IOException {
    assertThat(memory().require())
        .contains(
            "containers cannot run CUDA: %s is not there, and there is no nvidia-modprobe below %s;"
                    .formatted(node(), directory)
                + " run nvidia-modprobe -u -c 0 on the node at each boot");
    try (NvidiaDevices devices = Stubs.open(stub, new FakeMpsServers())) {
      assertThat(devices.driverEdits().deviceNodes())
          .isEqualTo(ImmutableSet.of(new DeviceNode("/dev/nvidiactl", 1, 3, 0666)));
    }
  }

  @Test
  void itIsTriedAgainWhenItWasThereAndIsGone() throws IOException {
    UnifiedMemory memory = memory();
    assertThat(memory.require()).isPresent();
    assertThat(memory.require()).as("told already").isEmpty();

    Files.createFile(node());
    assertThat(memory.require()).isEmpty();
    Files.delete(node());
    assertThat(memory.require()).isPresent();
  }

  @Test
  void whatTheProgramSaysIsTold() throws IOException {
    addProgram();
    Files.createFile(directory.resolve("dev/nvidia-uvm-tools"));

    assertThat(memory().require().orElseThrow())
        .contains(
            "nvidia-modprobe did not make it: status 1, \"/dev/nvidia-uvm-tools: File exists\"");
  }
}
