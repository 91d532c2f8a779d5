package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.mps.PaperMps;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HealthTest {

  private static final Instant NOW = Instant.parse("2026-11-23T08:00:00.123Z");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory = Path.of("");

  private Health health(String bootId) {
    return new Health(
        "gpu.example.com",
        ImmutableSet.of(140),
        new HealthFile(directory.resolve("health.json"), bootId),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private static List<String> reasons(Health health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::reason).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 31, 43, 45, 68, 109, 140})
  void whatApplicationsDoToThemselvesIsNoReason(int xid) {
    Health health = health("boot-1");

    assertThat(health.xid("GPU-0", xid)).isFalse();
    assertThat(health.taints("GPU-0")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "79,XID 79 (fell off the bus)",
    "48,XID 48 (double-bit ECC error)",
    "74,XID 74 (NVLink error)",
    "999,XID 999"
  })
  void allElseKeepsClaimsAwayUntilTheNodeBoots(int xid, String reason) {
    Health health = health("boot-1");

    assertThat(health.xid("GPU-0", xid)).isTrue();
    assertThat(health.xid("GPU-0", xid)).as("no news").isFalse();
    DeviceTaint taint =
        new DeviceTaint(
            "gpu.example.com/xid",
            String.valueOf(xid),
            Effect.NO_SCHEDULE,
            reason,
            Optional.of(Instant.parse("2026-11-23T08:00:00Z")),
            Optional.empty());
    assertThat(health.taints("GPU-0")).containsExactly(taint);
    assertThat(health.taints("GPU-1")).isEmpty();
    assertThat(health("boot-1").taints("GPU-0")).as("after a restart").containsExactly(taint);
    assertThat(health("boot-2").taints("GPU-0")).as("after a boot").isEmpty();
  }

  private static boolean answers(Health health) {
    return health.answers("GPU-0");
  }

  @Test
  void aLostGpuIsBackWhenItHasAnsweredForAWhile() {
    Health health = health("boot-1");
    health.lost("GPU-0", "GPU is lost");
    assertThat(answers(health)).isFalse();
    assertThat(answers(health)).isFalse();
    health.lost("GPU-0", "GPU is lost");
    assertThat(answers(health)).isFalse();
    assertThat(answers(health)).as("counted from the start").isFalse();
    assertThat(reasons(health)).containsExactly("GPU is lost");

    assertThat(answers(health)).isTrue();
    assertThat(health.taints("GPU-0")).isEmpty();
    assertThat(health("boot-1").taints("GPU-0")).isEmpty();
  }

  @Test
  void aDamagedFileIsForgotten() throws IOException {
    Files.writeString(directory.resolve("health.json"), "{\"bootId\":\"boot-1\"}");

    assertThat(health("boot-1").taints("GPU-0")).isEmpty();
  }

  private StubDriver stub() {
    return Stubs.driver(directory, StubDriver.NEWEST, Parts.hoppers(3), ImmutableList.of());
  }

  private static NvidiaDevices open(StubDriver stub) throws IOException {
    return Stubs.open(stub, new PaperMps());
  }

  private static List<String> taints(NvidiaDevices devices, int gpu) {
    return devices.gpus().get(gpu).taints().stream().map(DeviceTaint::reason).toList();
  }

  @Test
  void whatAGpuTellsIsHeardAlsoAfterItsModeWasSwitched() throws Exception {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      CountDownLatch twice = new CountDownLatch(2);
      devices.onChange(twice::countDown);
      devices.setMigMode("GPU-0", Gpu.MigMode.ENABLED);
      Awaitility.await("heard")
          .atMost(LIMIT)
          .until(
              () -> {
                // Until it listens nobody hears.
                stub.tell("GPU-1", 8, 79);
                return !taints(devices, 1).isEmpty();
              });
      stub.tell("GPU-0", 8, 13);
      stub.tell("GPU-0", 2, 0);

      assertThat(twice.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(taints(devices, 0)).containsExactly("double-bit ECC error");
      assertThat(taints(devices, 1)).containsExactly("XID 79 (fell off the bus)");
      assertThat(taints(devices, 2)).isEmpty();
    }
  }

  @Test
  void aLostGpuStaysAndTheOthersKeepTheirNames() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-1", "lost", 1);
      devices.look();

      assertThat(devices.gpus()).extracting(Gpu::name).containsExactly("gpu-0", "gpu-1", "gpu-2");
      assertThat(taints(devices, 1)).containsExactly("GPU does not answer");
      assertThat(taints(devices, 2)).isEmpty();
      stub.set("GPU-1", "lost", 0);
      for (int i = 0; i < 3; i++) {
        devices.look();
      }
      assertThat(taints(devices, 1)).isEmpty();
    }
  }

  @Test
  void aDriverThatIsLoadedAnewIsFoundAgain() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.boot();
      stub.faults("nvmlDeviceGetCount_v2 * 1 1");
      devices.look();

      assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
      devices.setMigMode("GPU-0", Gpu.MigMode.ENABLED);
      assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(Gpu.MigMode.ENABLED);
    }
  }

  @Test
  void whatADevicePluginHandsOutIsNotHandedOutTwice() throws IOException {
    try (NvidiaDevices devices = open(stub())) {
      devices.usedByOthers(Optional.of("a device plugin hands out 3 GPUs of this node, too"));
      devices.usedByOthers(Optional.of("a device plugin hands out 3 GPUs of this node, too"));
      assertThat(devices.gpus())
          .allSatisfy(
              gpu ->
                  assertThat(gpu.taints())
                      .extracting(DeviceTaint::key)
                      .containsExactly("gpu.example.com/foreign-use"));

      devices.usedByOthers(Optional.empty());
      assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
    }
  }

  @Test
  void withoutADriverAllAreLost() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.faults("nvmlDeviceGetCount_v2 * 18 9");
      devices.look();

      assertThat(taints(devices, 0))
          .containsExactly("nvmlDeviceGetCount: Driver/library version mismatch");
    }
  }
}
