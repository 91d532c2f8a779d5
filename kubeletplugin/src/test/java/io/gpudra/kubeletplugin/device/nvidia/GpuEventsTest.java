package io.gpudra.kubeletplugin.device.nvidia;

import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static io.gpudra.stubdriver.StubDriver.NO_INSTANCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlMig;
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
  private static final int DOUBLE_BIT_ERROR = 2;
  private static final int FELL_OFF = 79;
  private static final Slice THREE = slice("3g.20gb", 4);

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private StubDriver stub;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NvidiaDevices devices;

  private final AtomicInteger told = new AtomicInteger();

  @BeforeEach
  void open() throws IOException {
    stub = Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(3), ImmutableList.of());
    devices = Stubs.open(stub, new FakeMpsServers());
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
  void anErrorNamesTheGpuInstanceOfWhichNoMigDeviceIsKnown() {
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);
    stub.tell("GPU-0", XID, 95, 3, NO_INSTANCE);
    Awaitility.await("heard").atMost(LIMIT).until(() -> !taints(0).isEmpty());

    assertThat(taints(0)).containsExactly("XID 95 (uncontained ECC error) in GPU instance 3");
    assertThat(taints(1)).containsExactly("XID 79 (fell off the bus)");
  }

  /** Of a GPU of MIG mode: one MIG device, and three that share a GPU instance. */
  private void cut() throws IOException {
    devices.setMigMode("GPU-0", MigMode.ENABLED);
    make(slice("1g.5gb", 0), slice("1g.5gb", 0));
    for (int start = 0; start < 3; start++) {
      make(THREE, within(THREE, start, 1));
    }
  }

  private void make(Slice instance, Slice slice) throws IOException {
    devices.makeGpuInstance("GPU-0", instance);
    devices.makeComputeInstance("GPU-0", slice);
  }

  private List<String> reasonsOf(Slice slice) {
    return devices.gpus().get(0).mig().devices().stream()
        .filter(device -> device.slice().equals(slice))
        .flatMap(device -> device.taints().stream())
        .map(DeviceTaint::reason)
        .toList();
  }

  private String uuid(Slice slice) {
    return devices.gpus().get(0).mig().devices().stream()
        .filter(device -> device.slice().equals(slice))
        .map(MigState.Device::uuid)
        .findFirst()
        .orElseThrow();
  }

  private NvmlMig.Device numbers(Slice slice) throws IOException {
    try (Nvml session = Nvml.open(stub.library())) {
      return session.gpus().get(0).mig().devices().stream()
          .filter(device -> device.uuid().equals(uuid(slice)))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void anErrorIsOfTheMigDevicesOfTheInstanceThatTheDriverNames() throws IOException {
    cut();
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);
    stub.tell("GPU-0", XID, 95, numbers(slice("1g.5gb", 0)).gpuInstance(), NO_INSTANCE);
    NvmlMig.Device part = numbers(within(THREE, 1, 1));
    stub.tell("GPU-0", XID, 109, part.gpuInstance(), part.computeInstance());
    Awaitility.await("heard").atMost(LIMIT).until(() -> told.get() == 3);

    assertThat(taints(0)).as("of all of it").isEmpty();
    assertThat(reasonsOf(slice("1g.5gb", 0))).containsExactly("XID 95 (uncontained ECC error)");
    assertThat(reasonsOf(within(THREE, 1, 1))).containsExactly("XID 109 (context switch timeout)");
    assertThat(reasonsOf(within(THREE, 0, 1))).as("its neighbour").isEmpty();

    stub.tell("GPU-0", DOUBLE_BIT_ERROR, 0, part.gpuInstance(), NO_INSTANCE);
    Awaitility.await("heard").atMost(LIMIT).until(() -> told.get() == 4);
    for (int start = 0; start < 3; start++) {
      assertThat(reasonsOf(within(THREE, start, 1))).contains("double-bit ECC error");
    }
    assertThat(taints(0)).as("of all of it").isEmpty();
  }

  @Test
  void nothingIsLookedUpOfWhatApplicationsCause() {
    AtomicInteger lookedUp = new AtomicInteger();
    GpuHealth health = Stubs.health(stub.root().resolve("other"));
    GpuEvents events =
        new GpuEvents(
            stub::library,
            (uuid, where) -> new ErrorOrigin.GpuInstance(lookedUp.incrementAndGet()),
            health,
            told::incrementAndGet);
    events.start();
    Awaitility.await("heard")
        .atMost(LIMIT)
        .until(
            () -> {
              for (int i = 0; i < 3; i++) {
                stub.tell("GPU-0", XID, 13, 1, NO_INSTANCE);
              }
              stub.tell("GPU-1", XID, FELL_OFF, 1, NO_INSTANCE);
              return told.get() > 0;
            });
    events.close();

    assertThat(health.taints("GPU-0")).isEmpty();
    assertThat(health.taints("GPU-1"))
        .extracting(DeviceTaint::reason)
        .containsExactly("XID 79 (fell off the bus) in GPU instance 1");
  }

  @Test
  void whatHappenedInAMigDeviceThatIsGoneKeepsClaimsFromItsGpu() throws IOException {
    cut();
    devices.onChange(told::incrementAndGet);
    awaitHeard(1);
    Slice ill = slice("1g.5gb", 0);
    stub.tell("GPU-0", XID, 95, numbers(ill).gpuInstance(), NO_INSTANCE);
    Awaitility.await("heard").atMost(LIMIT).until(() -> told.get() == 2);
    devices.destroyComputeInstance("GPU-0", ill);
    devices.destroyGpuInstance("GPU-0", ill);
    make(ill, ill);

    assertThat(reasonsOf(ill)).as("another one in its place").isEmpty();
    assertThat(taints(0))
        .containsExactly(
            "XID 95 (uncontained ECC error) in MIG device gpu-0-mig-1g.5gb-0 that is gone");
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
    devices = Stubs.open(stub, new FakeMpsServers());
    devices.onChange(told::incrementAndGet);
    awaitHeard(0);
    assertThat(devices.gpus()).hasSize(2);
    Files.createSymbolicLink(place, to);
    stub.set("GPU-2", "absent", 0);
    devices.poll(Set.of());
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
