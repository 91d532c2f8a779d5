package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.kubeletplugin.device.mps.PaperMps;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One GPU that is in a bad way keeps nobody from hearing the others. */
class GpuEventsTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int XID = 8;
  private static final int FELL_OFF = 79;

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  private final AtomicInteger told = new AtomicInteger();

  @BeforeEach
  void open() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(3), ImmutableList.of());
    devices = Stubs.open(stub, new PaperMps());
  }

  @AfterEach
  void close() {
    devices.close();
  }

  private List<String> taints(int gpu) {
    return devices.gpus().get(gpu).taints().stream().map(DeviceTaint::reason).toList();
  }

  /** Until it listens nobody hears, so it is told again and again. */
  private void awaitHeard(int gpu) {
    Awaitility.await("heard")
        .atMost(LIMIT)
        .until(
            () -> {
              stub.tell("GPU-" + gpu, XID, FELL_OFF);
              return !taints(gpu).isEmpty();
            });
  }

  @Test
  void othersAreHeardBesideOneThatIsLost() {
    stub.set("GPU-0", "lost", 1);
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);

    assertThat(taints(1)).containsExactly("XID 79 (fell off the bus)");
  }

  @Test
  void anErrorNamesTheGpuInstanceThatTheDriverNames() {
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);
    stub.tell("GPU-0", XID, 95, 3);
    Awaitility.await("heard").atMost(LIMIT).until(() -> !taints(0).isEmpty());

    assertThat(taints(0)).containsExactly("XID 95 (uncontained ECC error) in GPU instance 3");
    assertThat(taints(1)).containsExactly("XID 79 (fell off the bus)");
  }

  @Test
  void othersAreHeardBesideOneThatDoesNotRegister() throws IOException {
    stub.faults("nvmlDeviceRegisterEvents GPU-0 999 1000000");
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);

    assertThat(taints(1)).containsExactly("XID 79 (fell off the bus)");
  }

  @Test
  void oneThatFallsIsToldAtOnceAndOnce() {
    devices.onChange(told::incrementAndGet);
    awaitHeard(2);
    stub.set("GPU-0", "lost", 1);
    Awaitility.await("told as lost").atMost(LIMIT).until(() -> !taints(0).isEmpty());
    awaitHeard(1);

    Awaitility.await("told").atMost(LIMIT).until(() -> told.get() >= 3);
    assertThat(told).as("changes of three GPUs").hasValue(3);
    assertThat(taints(0)).containsExactly("GPU is lost until it is reset or the node boots");
  }

  @Test
  void aLossOfWhichNoGpuKnowsIsNotAskedForWithoutPause() throws IOException {
    stub.faults("nvmlEventSetWait_v2 * 15 1000000");
    devices.onChange(told::incrementAndGet);
    Awaitility.await("asked").atMost(LIMIT).until(() -> stub.get("GPU-0", "waits") > 0);

    Awaitility.await("rests")
        .during(Duration.ofMillis(500))
        .atMost(LIMIT)
        .until(() -> stub.get("GPU-0", "waits") < 3);
    assertThat(told).hasValue(0);
  }

  @Test
  void oneThatIsPluggedInIsFoundAndHeard() throws IOException {
    devices.close();
    Path place = stub.root().resolve("sys/bus/pci/devices/0000:03:00.0");
    Path to = Files.readSymbolicLink(place);
    Files.delete(place);
    stub.set("GPU-2", "absent", 1);
    devices = Stubs.open(stub, new PaperMps());
    devices.onChange(told::incrementAndGet);
    awaitHeard(0);
    assertThat(devices.gpus()).hasSize(2);
    Files.createSymbolicLink(place, to);
    stub.set("GPU-2", "absent", 0);
    devices.look(Set.of());
    awaitHeard(2);

    assertThat(devices.gpus()).hasSize(3);
    assertThat(taints(1)).isEmpty();
  }

  @Test
  void whoIsToldMayFailAndIsToldOfTheNext() {
    devices.onChange(
        () -> {
          if (told.getAndIncrement() == 0) {
            throw new IllegalStateException("not now");
          }
        });
    awaitHeard(0);
    awaitHeard(1);

    assertThat(told).hasValue(2);
  }
}
