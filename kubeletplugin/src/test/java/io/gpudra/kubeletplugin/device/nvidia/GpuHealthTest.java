package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.testing.Taints;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth.Condition;
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
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuHealthTest {

  private static final Instant NOW = Instant.parse("2026-11-23T08:00:00.123Z");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory = Path.of("");

  private GpuHealth health(String bootId) {
    return new GpuHealth(
        "gpu.example.com",
        ImmutableSet.of(140),
        ImmutableSet.of(),
        new HealthFile(directory.resolve("health.json"), bootId),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private static List<String> reasons(GpuHealth health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::reason).toList();
  }

  private static boolean xid(GpuHealth health, int number) {
    return health.xid("GPU-0", number, new ErrorOrigin.Anywhere());
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 13, 31, 32, 43, 45, 63, 68, 69, 92, 94, 154, 160, 162, 163, 140})
  void whatEndsWithTheApplicationAndWhatWasToBeIgnoredIsNoReason(int number) {
    GpuHealth health = health("boot-1");

    assertThat(xid(health, number)).isFalse();
    assertThat(health.taints("GPU-0")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "79,XID 79 (fell off the bus)",
    "48,XID 48 (double-bit ECC error)",
    "74,XID 74 (NVLink error)",
    "109,XID 109 (context switch timeout)",
    "999,XID 999"
  })
  void allElseKeepsClaimsAwayUntilTheNodeBoots(int xid, String reason) {
    GpuHealth health = health("boot-1");

    assertThat(xid(health, xid)).isTrue();
    assertThat(xid(health, xid)).as("no news").isFalse();
    DeviceTaint taint =
        Taints.taint(
            "gpu.example.com/xid",
            String.valueOf(xid),
            Effect.NO_SCHEDULE,
            reason,
            Instant.parse("2026-11-23T08:00:00Z"));
    assertThat(health.taints("GPU-0")).containsExactly(taint);
    assertThat(health.taints("GPU-1")).isEmpty();
    assertThat(health("boot-1").taints("GPU-0")).as("after a restart").containsExactly(taint);
    assertThat(health("boot-2").taints("GPU-0")).as("after a boot").isEmpty();
  }

  private static void looksWell(GpuHealth health, Condition condition, int times) {
    for (int i = 0; i < times; i++) {
      health.record("GPU-0", condition, Optional.empty());
    }
  }

  @ParameterizedTest
  @EnumSource(Condition.class)
  void aConditionIsOverWhenItWasNotSeenForAWhile(Condition condition) {
    GpuHealth health = health("boot-1");
    health.record("GPU-0", condition, Optional.of("why"));
    looksWell(health, condition, 2);
    health.record("GPU-0", condition, Optional.of("why"));
    looksWell(health, condition, 2);
    assertThat(reasons(health)).as("counted from the start").containsExactly("why");

    looksWell(health, condition, 1);
    assertThat(health.taints("GPU-0")).isEmpty();
    assertThat(health("boot-1").taints("GPU-0")).isEmpty();
  }

  @Test
  void aResetEndsErrorsAndNoCondition() {
    GpuHealth health = health("boot-1");
    assertThat(xid(health, 79)).isTrue();
    assertThat(health.doubleBitError("GPU-0", new ErrorOrigin.Anywhere())).isTrue();
    health.record("GPU-0", Condition.THERMAL, Optional.of("hot"));
    health.reset("GPU-0");

    assertThat(reasons(health)).containsExactly("hot");
    assertThat(health("boot-1").taints("GPU-0")).hasSize(1);
  }

  @Test
  void aDamagedFileIsForgotten() throws IOException {
    Files.writeString(directory.resolve("health.json"), "{\"bootId\":\"boot-1\"}");

    assertThat(health("boot-1").taints("GPU-0")).isEmpty();
  }

  private StubDriver stub() {
    return stub(StubDriver.NEWEST);
  }

  private StubDriver stub(int era) {
    return Stubs.driver(directory, era, Parts.hoppers(3), ImmutableList.of());
  }

  private static NvidiaDevices open(StubDriver stub) throws IOException {
    return Stubs.open(stub, new FakeMpsServers());
  }

  private static List<String> taints(NvidiaDevices devices, int gpu) {
    return devices.gpus().get(gpu).taints().stream().map(DeviceTaint::reason).toList();
  }

  private static void look(NvidiaDevices devices, int times) {
    for (int i = 0; i < times; i++) {
      devices.poll(Set.of());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {525, StubDriver.NEWEST})
  void aHotGpuAndOneOutsideItsFabricAreLeftAloneForAWhile(int era) throws IOException {
    StubDriver stub = stub(era);
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-0", "hot", 1);
      stub.set("GPU-1", "fabric", 2);
      look(devices, 1);
      assertThat(taints(devices, 0)).containsExactly("slowed down by its temperature");
      assertThat(taints(devices, 1)).containsExactly("NVLink fabric is not ready");
      assertThat(taints(devices, 2)).isEmpty();

      stub.set("GPU-0", "hot", 0);
      stub.set("GPU-1", "fabric", 3);
      look(devices, 2);
      assertThat(taints(devices, 0)).isNotEmpty();
      look(devices, 1);
      assertThat(taints(devices, 0)).isEmpty();
      assertThat(taints(devices, 1)).isEmpty();
    }
  }

  @Test
  void theFabricIsNoMatterOfAGpuInMigMode() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      devices.setMigMode("GPU-0", MigMode.ENABLED);
      stub.set("GPU-0", "fabric", 1);
      stub.set("GPU-1", "fabric", 1);
      look(devices, 1);

      assertThat(taints(devices, 0)).isEmpty();
      assertThat(taints(devices, 1)).containsExactly("NVLink fabric is not ready");
    }
  }

  @Test
  void whoUsesAGpuOfNoClaimKeepsClaimsAway() throws IOException {
    StubDriver stub = stub();
    Files.writeString(
        Files.createDirectories(stub.root().resolve("proc/4711")).resolve("comm"),
        "py\u0007thon3\n");
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-0", "process", 4711);
      stub.set("GPU-1", "process", 4712);
      stub.set("GPU-2", "process", 4713);
      devices.poll(Set.of("GPU-2"));
      assertThat(taints(devices, 0)).as("it may just have ended").isEmpty();
      devices.poll(Set.of("GPU-2"));

      assertThat(taints(devices, 0)).containsExactly("used by process 4711 (python3), of no claim");
      assertThat(taints(devices, 1)).containsExactly("used by process 4712, of no claim");
      assertThat(taints(devices, 2)).as("a claim has it").isEmpty();
      assertThat(devices.gpus().get(0).taints())
          .extracting(DeviceTaint::effect)
          .containsExactly(Effect.NO_SCHEDULE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {450, 470, StubDriver.NEWEST})
  void whoComputesOrDrawsOnAGpuUsesIt(int era) throws IOException {
    StubDriver stub = stub(era);
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-0", "graphics", 4711);
      stub.set("GPU-1", "process", 4712);
      look(devices, 2);

      assertThat(taints(devices, 0)).containsExactly("used by process 4711, of no claim");
      assertThat(taints(devices, 1)).containsExactly("used by process 4712, of no claim");
      assertThat(taints(devices, 2)).isEmpty();
    }
  }

  @Test
  void aComputeModeThatNoClaimSetIsAnAdministrators() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      devices.setComputeMode("GPU-0", ComputeMode.EXCLUSIVE_PROCESS);
      stub.set("GPU-1", "compute_mode", 2);
      for (int i = 0; i < 2; i++) {
        devices.poll(Set.of("GPU-0"));
      }
      assertThat(taints(devices, 0)).as("of a claim").isEmpty();
      assertThat(taints(devices, 1))
          .containsExactly(
              "compute mode PROHIBITED, of no claim: nvidia-smi --compute-mode=DEFAULT");

      stub.set("GPU-1", "compute_mode", 0);
      look(devices, 3);
      assertThat(taints(devices, 1)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {470, StubDriver.NEWEST})
  void whoIsServedOnAGpuUsesIt(int era) throws IOException {
    StubDriver stub = stub(era);
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-1", "served", 4712);
      look(devices, 2);

      assertThat(taints(devices, 0)).isEmpty();
      assertThat(taints(devices, 1)).containsExactly("used by process 4712, of no claim");
    }
  }

  @Test
  void aGpuThatWasResetIsWellAndAnotherIsNot() throws IOException {
    StubDriver stub = stub();
    GpuHealth health = Stubs.health(stub.root());
    assertThat(xid(health, 79)).isTrue();
    assertThat(health.xid("GPU-1", 79, new ErrorOrigin.Anywhere())).isTrue();
    try (NvidiaDevices devices = open(stub)) {
      stub.set("GPU-0", "generation", 7);
      stub.faults("nvmlDeviceGetUUID GPU-1 999 1");
      look(devices, 1);

      assertThat(taints(devices, 0)).isEmpty();
      assertThat(taints(devices, 1)).as("an answer was missing").isNotEmpty();
    }
  }

  @Test
  void aLookAsksNothingThatDoesNotChange() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.faults(
          "nvmlInitWithFlags * 999 1000",
          "nvmlDeviceGetGpuInstanceProfileInfo * 999 1000",
          "nvmlDeviceGetName * 999 1000");
      look(devices, 1);

      assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
    }
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
      devices.poll(Set.of());

      assertThat(devices.gpus()).extracting(Gpu::name).containsExactly("gpu-0", "gpu-1", "gpu-2");
      assertThat(taints(devices, 1))
          .containsExactly("GPU is lost until it is reset or the node boots");
      assertThat(taints(devices, 2)).isEmpty();
    }
  }

  @Test
  void aDriverThatIsLoadedAnewIsFoundAgain() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.boot();
      devices.poll(Set.of());

      assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
      devices.setMigMode("GPU-0", Gpu.MigMode.ENABLED);
      assertThat(devices.gpus().get(0).mig().mode()).isEqualTo(Gpu.MigMode.ENABLED);
    }
  }

  @Test
  void whatADevicePluginHandsOutIsNotHandedOutTwice() throws IOException {
    try (NvidiaDevices devices = open(stub())) {
      AtomicInteger told = new AtomicInteger();
      devices.onChange(told::incrementAndGet);
      devices.usedByOthers(Optional.of("a device plugin hands out 3 GPUs of this node, too"));
      assertThat(told).as("no look is waited for").hasValue(1);
      assertThat(devices.gpus())
          .allSatisfy(
              gpu ->
                  assertThat(gpu.taints())
                      .extracting(DeviceTaint::key)
                      .containsExactly("gpu.example.com/foreign-use"));

      devices.usedByOthers(Optional.empty());
      look(devices, 3);
      assertThat(devices.gpus())
          .as("a device plugin may be back in a moment")
          .allSatisfy(gpu -> assertThat(gpu.taints()).hasSize(1));

      devices.usedByOthers(Optional.empty());
      look(devices, 3);
      assertThat(devices.gpus()).allSatisfy(gpu -> assertThat(gpu.taints()).isEmpty());
    }
  }

  @Test
  void withoutADriverAllAreLost() throws IOException {
    StubDriver stub = stub();
    try (NvidiaDevices devices = open(stub)) {
      stub.faults("nvmlDeviceGetCount_v2 * 18 9");
      devices.poll(Set.of());

      assertThat(taints(devices, 0))
          .containsExactly(
              "nvmlDeviceGetCount: Driver/library version mismatch; the driver was replaced: restart"
                  + " the node, or load its kernel module anew");
    }
  }
}
