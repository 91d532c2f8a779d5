package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComputePolicyTest {

  private static final String GPU = "GPU-0";

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  @BeforeEach
  void open() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(1), ImmutableList.of());
    devices = Stubs.open(stub, new FakeMpsServers());
  }

  @AfterEach
  void close() {
    devices.close();
  }

  @Test
  void turnsAreSetByTheProgramOfTheDriver() throws IOException {
    devices.setTimeSlice(GPU, Interval.LONG);
    assertThat(stub.get(GPU, "time_slice")).isEqualTo(3);

    devices.setTimeSlice(GPU, Interval.DEFAULT);
    assertThat(stub.get(GPU, "time_slice")).isEqualTo(0);

    stub.faults("nvidia-smi GPU-0 3 1");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.SHORT))
        .hasMessage(
            "length of turns of gpu-0 (GPU-0): nvidia-smi: Failed to set the compute policy of GPU-0");
  }

  @Test
  void turnsThatCouldNotBeSetNeedNotBeSetBack() throws IOException {
    stub.faults("nvidia-smi GPU-0 4 1000000");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.LONG))
        .hasMessage(
            "length of turns of gpu-0 (GPU-0): nvidia-smi: Failed to set the compute policy of GPU-0"
                + "; the plugin must be privileged, or, where all claims are for whole GPUs, its pod"
                + " have NVIDIA's runtime (chart: kubeletPlugin.privileged,"
                + " kubeletPlugin.runtimeClassName)");

    assertThatCode(() -> devices.setTimeSlice(GPU, Interval.DEFAULT)).doesNotThrowAnyException();
  }

  @Test
  void turnsThatWereSetOnceOrByAnEarlierProcessMustBeSetBack() throws IOException {
    stub.faults("nvidia-smi GPU-0 4 2");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.DEFAULT))
          .hasMessageContaining("length of turns of gpu-0");
    }

    devices.setTimeSlice(GPU, Interval.LONG);
    stub.faults("nvidia-smi GPU-0 4 2");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.SHORT))
        .hasMessageContaining("length of turns of gpu-0");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.DEFAULT))
        .hasMessageContaining("length of turns of gpu-0");
  }

  @Test
  void turnsOfWhichNothingIsKnownMustBeSetBack() throws IOException {
    devices.setTimeSlice(GPU, Interval.DEFAULT);
    Path smi = stub.program(StubDriver.SMI);
    byte[] program = Files.readAllBytes(smi);
    Files.writeString(smi, "#!/nowhere\n");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.LONG))
        .hasMessageContaining("length of turns of gpu-0");

    Files.write(smi, program);
    stub.faults("nvidia-smi GPU-0 4 1");
    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.DEFAULT))
        .hasMessageContaining("length of turns of gpu-0");
  }

  @Test
  void withoutTheProgramTurnsAreAsTheyAre() throws IOException {
    Files.delete(stub.program(StubDriver.SMI));
    devices.setTimeSlice(GPU, Interval.DEFAULT);

    assertThatThrownBy(() -> devices.setTimeSlice(GPU, Interval.LONG))
        .hasMessage(
            "length of turns of gpu-0 (GPU-0): turns cannot be Long: there is no nvidia-smi below "
                + directory);
  }
}
