package io.gpudra.kubeletplugin.device.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.Profile;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NvmlTest {

  private static final ImmutableList<Gpu> A100 =
      new FakeDevices(Profile.parse("a100:2"), "worker-1").gpus();

  @TempDir Path directory = Path.of("");

  private StubDriver stub(int era) {
    return Stubs.driver(directory, era, A100, ImmutableList.of());
  }

  @Test
  void saysWhatIsWrongWithALibrary() throws IOException {
    Path broken = Files.writeString(directory.resolve("libnvidia-ml.so.1"), "no library");

    assertThatThrownBy(() -> Nvml.open(broken))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(broken + " cannot be loaded: ");
  }

  @Test
  void saysInTheDriversWordsWhyThereIsNoSession() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.faults("nvmlInitWithFlags * 18 1");

    assertThatThrownBy(() -> Nvml.open(stub.library()))
        .hasMessage("nvmlInitWithFlags: Driver/library version mismatch");
    stub.faults("nvmlInitWithFlags * 77 1");
    assertThatThrownBy(() -> Nvml.open(stub.library()))
        .isInstanceOfSatisfying(
            NvmlException.class, e -> assertThat(e.answer()).isEqualTo(NvmlReturn.UNKNOWN));
  }

  @Test
  void aFunctionThatTheDriverLacksIsAnAnswer() throws IOException {
    try (Nvml driver = Nvml.open(stub(450).library())) {
      NvmlGpu gpu = driver.gpus().get(0);

      assertThat(gpu.mig().mode()).contains(new NvmlMig.Mode(false, false));
      assertThat(gpu.mig().profiles()).as("it does not tell where").isEmpty();
    }
  }

  @Test
  void aHandleDiesWithTheSwitchOfTheMode() throws IOException {
    Gpu switchable = A100.get(0);
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlGpu before = driver.gpus().get(0);
      before.mig().switchTo(true);

      assertThatExceptionOfType(NvmlException.class)
          .isThrownBy(before::name)
          .satisfies(e -> assertThat(e.answer()).isEqualTo(NvmlReturn.INVALID_ARGUMENT));
      assertThat(driver.gpus().get(0).uuid()).isEqualTo(switchable.uuid());
    }
  }

  @Test
  void aSwitchThatWaitsForAResetHasFailed() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "in_use", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThatThrownBy(() -> driver.gpus().get(0).mig().switchTo(true))
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "needs_reset", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      NvmlMig mig = driver.gpus().get(0).mig();

      assertThatThrownBy(() -> mig.switchTo(true))
          .hasMessage("nvmlDeviceSetMigMode: GPU requires restart");
      assertThat(mig.mode()).contains(new NvmlMig.Mode(false, true));
    }
  }

  @Test
  void aSwitchOfAGpuInUseHasFailed() throws IOException {
          .hasMessage("nvmlDeviceSetMigMode: In use by another client");
    }
  }

  @Test
  void leavesOutAGpuThatIsLost() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    stub.set(A100.get(0).uuid(), "lost", 1);
    try (Nvml driver = Nvml.open(stub.library())) {
      assertThat(driver.gpus()).extracting(NvmlGpu::index).containsExactly(1);
    }
  }

  @Test
  void nothingWorksAfterTheSession() throws IOException {
    Nvml driver = Nvml.open(stub(StubDriver.NEWEST).library());
    driver.close();

    assertThatThrownBy(driver::driverVersion)
        .hasMessage("nvmlSystemGetDriverVersion: Uninitialized");
  }

  @Test
  void aSessionThatIsEndedTwiceEndsNoOther() throws IOException {
    StubDriver stub = stub(StubDriver.NEWEST);
    try (Nvml other = Nvml.open(stub.library())) {
      Nvml session = Nvml.open(stub.library());
      session.close();
      session.close();

      assertThat(other.gpus()).isNotEmpty();
    }
  }
}
