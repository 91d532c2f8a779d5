package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth.Condition;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which errors of a GPU drive pods away. */
class GpuHealthEffectTest {

  @TempDir Path directory = Path.of("");

  private Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

  private GpuHealth health(EvictionTrigger... evictOn) {
    return new GpuHealth(
        "gpu.example.com",
        ImmutableSet.of(),
        ImmutableSet.copyOf(evictOn),
        new HealthFile(directory.resolve("health.json"), "boot-1"),
        clock);
  }

  private static boolean xid(GpuHealth health, int number) {
    return health.xid("GPU-0", number, new ErrorOrigin.Anywhere());
  }

  private static List<String> reasons(GpuHealth health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::reason).toList();
  }

  private static List<Effect> effects(GpuHealth health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::effect).toList();
  }

  @Test
  void whatAResetOrABootMendsDrivesPodsAwayWhereThatIsWanted() {
    GpuHealth health = health(EvictionTrigger.values());
    assertThat(xid(health, 95)).isTrue();
    assertThat(health.doubleBitError("GPU-0", new ErrorOrigin.Anywhere())).isTrue();
    assertThat(health.lost("GPU-0")).isTrue();

    assertThat(effects(health)).hasSize(3).containsOnly(Effect.NO_EXECUTE);
    assertThat(effects(health(EvictionTrigger.values())))
        .as("after a restart")
        .hasSize(3)
        .containsOnly(Effect.NO_EXECUTE);
    assertThat(effects(health())).as("not wanted any more").containsOnly(Effect.NO_SCHEDULE);
    assertThat(health(EvictionTrigger.LOST).taints("GPU-0"))
        .filteredOn(taint -> taint.effect() == Effect.NO_EXECUTE)
        .extracting(DeviceTaint::key)
        .containsExactly("gpu.example.com/lost");
  }

  @ParameterizedTest
  @EnumSource(Condition.class)
  void whatMayEndByItselfDrivesNoPodAway(Condition condition) {
    GpuHealth health = health(EvictionTrigger.values());
    health.record("GPU-0", condition, Optional.of("why"));

    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);
  }

  @Test
  void aGpuOnProbationDrivesNoPodAway() {
    GpuHealth health = health(EvictionTrigger.values());
    assertThat(health.lost("GPU-0")).isTrue();
    health.reset("GPU-0");

    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);
  }

  @Test
  void anErrorThatIsNotInTheCatalogueDrivesNoPodAwayAndHidesNoneThatDoes() {
    GpuHealth health = health(EvictionTrigger.values());
    assertThat(xid(health, 999)).isTrue();
    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);

    assertThat(xid(health, 79)).isTrue();
    assertThat(xid(health, 999)).as("it hides nothing").isFalse();
    assertThat(reasons(health)).containsExactly("XID 79 (fell off the bus)");
    assertThat(effects(health)).containsExactly(Effect.NO_EXECUTE);
  }

  @Test
  void anErrorInAnInstanceWithoutAMigDeviceDrivesNoPodFromTheOthers() {
    GpuHealth health = health(EvictionTrigger.values());
    ErrorOrigin third = new ErrorOrigin.GpuInstance(3);
    assertThat(health.xid("GPU-0", 95, third)).isTrue();
    assertThat(health.doubleBitError("GPU-0", third)).isTrue();

    assertThat(reasons(health))
        .containsExactly(
            "double-bit ECC error in GPU instance 3",
            "XID 95 (uncontained ECC error) in GPU instance 3");
    assertThat(effects(health)).containsOnly(Effect.NO_SCHEDULE);
    assertThat(xid(health, 95)).as("now of the whole GPU").isTrue();
    assertThat(health.xid("GPU-0", 64, third)).as("it hides nothing").isFalse();
  }

  private static Gpu gpu(String... migDevices) {
    return Parts.gpus(1)
        .get(0)
        .with(
            MigState.of(MigMode.ENABLED)
                .with(
                    Arrays.stream(migDevices)
                        .map(uuid -> GrantFixture.migDevice(uuid, Parts.slice("1g.5gb", 0)))
                        .collect(toImmutableList())));
  }

  private static ErrorOrigin in(String... migDevices) {
    return new ErrorOrigin.MigDevices(Maps.toMap(List.of(migDevices), uuid -> "gpu-0-" + uuid));
  }

  private static List<String> told(List<DeviceTaint> taints) {
    return taints.stream().map(taint -> taint.effect().text() + " " + taint.reason()).toList();
  }

  private static List<String> told(Gpu gpu, int migDevice) {
    return told(gpu.mig().devices().get(migDevice).taints());
  }

  @Test
  void anErrorInMigDevicesDrivesPodsFromTheseAlone() {
    GpuHealth health = health(EvictionTrigger.values());
    assertThat(health.xid("GPU-0", 95, in("MIG-a", "MIG-b"))).isTrue();
    assertThat(health.xid("GPU-0", 95, in("MIG-b"))).as("no news").isFalse();
    assertThat(health.xid("GPU-0", 999, in("MIG-c"))).isTrue();

    for (GpuHealth now : List.of(health, health(EvictionTrigger.values()))) {
      Gpu gpu = now.tainted(gpu("MIG-a", "MIG-b", "MIG-c", "MIG-d"));
      assertThat(gpu.taints()).isEmpty();
      assertThat(told(gpu, 0)).containsExactly("NoExecute XID 95 (uncontained ECC error)");
      assertThat(told(gpu, 1)).containsExactly("NoExecute XID 95 (uncontained ECC error)");
      assertThat(told(gpu, 2)).containsExactly("NoSchedule XID 999");
      assertThat(told(gpu, 3)).isEmpty();
    }
    assertThat(told(health(EvictionTrigger.ECC).tainted(gpu("MIG-a")), 0))
        .containsExactly("NoSchedule XID 95 (uncontained ECC error)");
  }

  @Test
  void anErrorInAMigDeviceThatIsGoneIsTheGpusUntilAReset() {
    GpuHealth health = health(EvictionTrigger.values());
    assertThat(health.xid("GPU-0", 95, in("MIG-a"))).isTrue();
    clock = Clock.offset(clock, Duration.ofSeconds(1));
    health = health(EvictionTrigger.values());
    assertThat(health.xid("GPU-0", 64, in("MIG-b"))).isTrue();
    assertThat(health.doubleBitError("GPU-0", in("MIG-b"))).isTrue();
    assertThat(health.xid("GPU-1", 46, in("MIG-z"))).isTrue();

    assertThat(told(health.tainted(gpu("MIG-b", "MIG-c")).taints()))
        .containsExactly(
            "NoSchedule XID 95 (uncontained ECC error) in MIG device gpu-0-MIG-a that is gone");
    assertThat(told(health.tainted(gpu("MIG-b", "MIG-c")), 0)).hasSize(2);
    assertThat(told(health.tainted(gpu()).taints()))
        .as("the first of each kind")
        .containsExactly(
            "NoSchedule double-bit ECC error in MIG device gpu-0-MIG-b that is gone",
            "NoSchedule XID 95 (uncontained ECC error) in MIG device gpu-0-MIG-a that is gone");
    assertThat(xid(health, 79)).isTrue();
    assertThat(told(health.tainted(gpu("MIG-b")).taints()))
        .as("its own is worse")
        .containsExactly("NoExecute XID 79 (fell off the bus)");

    health.reset("GPU-0");
    assertThat(health.tainted(gpu("MIG-b"))).isEqualTo(gpu("MIG-b"));
    assertThat(health().tainted(gpu("MIG-b"))).as("after a restart").isEqualTo(gpu("MIG-b"));
    assertThat(told(health().tainted(Parts.gpus(2).get(1)).taints())).as("another GPU").hasSize(1);
  }

  @Test
  void moreMigDevicesThanAGpuHasAreTheGpu() throws IOException {
    GpuHealth health = health(EvictionTrigger.values());
    for (int i = 0; i < 64; i++) {
      assertThat(health.xid("GPU-0", 95, in("MIG-" + i))).isTrue();
    }
    long size = Files.size(directory.resolve("health.json"));
    assertThat(health.xid("GPU-0", 64, in("MIG-64"))).isTrue();
    for (int i = 65; i < 1000; i++) {
      assertThat(health.xid("GPU-0", 64, in("MIG-" + i))).isFalse();
    }

    assertThat(told(health.tainted(gpu("MIG-64")).taints()))
        .containsExactly("NoSchedule XID 64 (row remapping failed) in MIG device gpu-0-MIG-64");
    assertThat(health.xid("GPU-0", 109, in("MIG-5"))).as("one that is known").isTrue();
    assertThat(Files.size(directory.resolve("health.json"))).isLessThan(size + 1000);
  }

  @Test
  void aFileOfALaterPluginIsReadAsFarAsItIsUnderstood() throws IOException {
    Files.writeString(
        directory.resolve("health.json"),
        """
        {"bootId": "boot-1", "more": {}, "wrong": [{"uuid": "GPU-0", "name": "xid", "more": [],
         "key": "gpu.example.com/xid", "value": "79", "reason": "XID 79 (fell off the bus)", "since": 1}]}
        """);

    assertThat(effects(health(EvictionTrigger.values()))).containsExactly(Effect.NO_SCHEDULE);
  }

  @Test
  void aTaintThatAnOlderPluginWroteDrivesNoPodAway() throws IOException {
    Files.writeString(
        directory.resolve("health.json"),
        """
        {"bootId": "boot-1", "wrong": [{"uuid": "GPU-0", "name": "xid", "key": "gpu.example.com/xid",
         "value": "79", "reason": "XID 79 (fell off the bus)", "since": 1}]}
        """);

    assertThat(effects(health(EvictionTrigger.values()))).containsExactly(Effect.NO_SCHEDULE);
  }
}
