package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.AbsentDevices;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdleTest {

  private static final String GPU = "GPU-0";
  private static final int WITHOUT_MPS_LIST = 460;

  @TempDir Path directory = Path.of("");

  private boolean idle(int driver, String kind, int process) throws IOException {
    StubDriver stub = Stubs.driver(directory, driver, Parts.gpus(1), ImmutableList.of());
    try (NvidiaDevices devices = Stubs.open(stub, new FakeMpsServers())) {
      stub.set(GPU, kind, process);
      return devices.idle(GPU);
    }
  }

  @Test
  void aGpuWithoutProcessesIsIdle() throws IOException {
    assertThat(idle(StubDriver.NEWEST, "process", 0)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"process", "graphics", "served"})
  void oneWithAProcessOfAnyKindIsNot(String kind) throws IOException {
    assertThat(idle(StubDriver.NEWEST, kind, 4711)).isFalse();
  }

  @Test
  void neitherIsOneOfWhichTheDriverDoesNotTellAll() throws IOException {
    assertThat(idle(WITHOUT_MPS_LIST, "process", 0)).isFalse();
  }

  @Test
  void orOneThatDoesNotAnswer() throws IOException {
    assertThat(idle(StubDriver.NEWEST, "lost", 1)).isFalse();
  }

  /** The driver tells it of none that others run. */
  @Test
  void orAnyToTheFirstProcessOfAContainer() throws IOException {
    StubDriver stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.gpus(1), ImmutableList.of());
    Path node = stub.root();
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), node);
    GpuHealth health = Stubs.health(node);
    NvmlSession session = new NvmlSession(root, new PciTree(node.resolve("sys")));
    GpuEvents events = new GpuEvents(root::library, session::origin, health, () -> {});

    assertThat(new HealthMonitor(session, events, health, node, 4711).idle(GPU)).isTrue();
    assertThat(new HealthMonitor(session, events, health, node, 1).idle(GPU)).isFalse();
    session.close();
  }

  @Test
  void orOneThatIsNotThere() {
    assertThat(new AbsentDevices.NoDriver("no driver", ImmutableList.of()).idle(GPU)).isFalse();
    assertThat(new AbsentDevices.NoGpus().idle(GPU)).isFalse();
  }
}
