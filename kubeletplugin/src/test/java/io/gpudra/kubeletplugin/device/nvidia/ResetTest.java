package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is lost comes back with a reset, and an error ends with nothing else. */
class ResetTest {

  private static final String LOST = "GPU is lost until it is reset or the node boots";
  private static final int PROBATION = 3;

  /** So often a session is begun for a GPU that the one before did not find, and then probation. */
  private static final int PATIENCE = 30;

  private static final int LOOKS = PATIENCE + PROBATION;

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  @BeforeEach
  void open() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(3), ImmutableList.of());
  }

  private void start() throws IOException {
    devices = Stubs.open(stub, new FakeMpsServers());
  }

  @AfterEach
  void close() {
    devices.close();
  }

  private List<String> taints(int gpu) {
    return devices.gpus().get(gpu).taints().stream().map(DeviceTaint::reason).toList();
  }

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      devices.poll(Set.of());
    }
  }

  private void hasXid(String uuid, int number) {
    assertThat(Stubs.health(stub.root()).xid(uuid, number, new ErrorOrigin.Anywhere())).isTrue();
  }

  @Test
  void aLostGpuIsWellAgainAWhileAfterItsReset() throws IOException {
    hasXid("GPU-1", 79);
    start();
    devices.onChange(() -> {});
    stub.set("GPU-1", "lost", 1);
    look(LOOKS);
    assertThat(taints(1)).containsExactly(LOST, "XID 79 (fell off the bus)");
    assertThat(taints(0)).isEmpty();

    stub.set("GPU-1", "lost", 0);
    look(LOOKS);
    assertThat(taints(1)).isEmpty();
  }

  @Test
  void aGpuThatOnlyKnowsItsNameIsLost() throws IOException {
    start();
    stub.faults("nvmlDeviceGetMemoryInfo GPU-1 15 1000000");
    look(1);

    assertThat(taints(1)).containsExactly(LOST);
  }

  @Test
  void oneThatIsMissingInAFreshSessionIsLostWhateverItSaid() throws IOException {
    start();
    stub.faults("nvmlDeviceGetUUID GPU-1 999 1000000");
    look(1);

    assertThat(taints(1)).containsExactly(LOST);
  }

  @Test
  void othersAreNotDisturbedForOneThatStaysLost() throws IOException {
    start();
    stub.set("GPU-1", "lost", 1);
    look(1);
    stub.faults("nvmlInitWithFlags * 999 1000000");
    look(PATIENCE - 2);

    assertThat(taints(0)).isEmpty();
  }

  @Test
  void aResetWithoutThePluginIsSeenOfAGpuThatWasLost() throws IOException {
    hasXid("GPU-1", 79);
    hasXid("GPU-2", 48);
    start();
    stub.set("GPU-1", "lost", 1);
    look(1);
    devices.close();
    stub.set("GPU-1", "lost", 0);
    start();
    look(PROBATION);
    assertThat(taints(1)).as("one look began with what was known").isEmpty();

    assertThat(taints(2)).as("nobody knows of a reset").hasSize(1);
  }

  @Test
  void whoStartsWithoutALostGpuSaysSoUntilItsReset() throws IOException {
    start();
    stub.set("GPU-1", "lost", 1);
    look(1);
    devices.close();
    start();
    look(PROBATION);
    stub.set("GPU-1", "lost", 0);
    look(PATIENCE - PROBATION);

    assertThat(devices.gpus()).hasSize(3);
    assertThat(devices.gpus())
        .filteredOn(gpu -> gpu.uuid().equals("GPU-1"))
        .flatExtracting(Gpu::taints)
        .extracting(DeviceTaint::reason)
        .containsExactly("GPU was lost and is on probation");
  }

  @Test
  void aSwitchOfTheModeByOthersIsNoReset() throws IOException {
    hasXid("GPU-0", 79);
    start();
    try (Nvml other = Nvml.open(stub.library())) {
      other.gpus().get(0).mig().switchTo(true);
    }
    look(1);

    assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(Gpu.MigMode.ENABLED);
    assertThat(taints(0)).containsExactly("XID 79 (fell off the bus)");
  }

  @Test
  void aDriverThatIsAwayForAWhileIsNoReset() throws IOException {
    hasXid("GPU-0", 79);
    start();
    stub.faults("nvmlDeviceGetCount_v2 * 18 2");
    look(1);
    assertThat(taints(2)).hasSize(1);
    look(PROBATION);

    assertThat(taints(0)).containsExactly("XID 79 (fell off the bus)");
    assertThat(taints(2)).isEmpty();
  }
}
