package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.kubeletplugin.device.nvidia.Health.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which errors of a GPU drive pods away. */
class HealthEffectTest {

  @TempDir Path directory = Path.of("");

  private Health health(EvictOn... evictOn) {
    return new Health(
        "gpu.example.com",
        ImmutableSet.of(),
        ImmutableSet.copyOf(evictOn),
        new HealthFile(directory.resolve("health.json"), "boot-1"),
        Clock.systemUTC());
  }

  private static boolean xid(Health health, int number) {
    return health.xid("GPU-0", number, new Origin.Anywhere());
  }

  private static List<String> reasons(Health health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::reason).toList();
  }

  private static List<Effect> effects(Health health) {
    return health.taints("GPU-0").stream().map(DeviceTaint::effect).toList();
  }

  @Test
  void whatAResetOrABootMendsDrivesPodsAwayWhereThatIsWanted() {
    Health health = health(EvictOn.values());
    assertThat(xid(health, 95)).isTrue();
    assertThat(health.doubleBitError("GPU-0", new Origin.Anywhere())).isTrue();
    assertThat(health.lost("GPU-0")).isTrue();

    assertThat(effects(health)).hasSize(3).containsOnly(Effect.NO_EXECUTE);
    assertThat(effects(health(EvictOn.values())))
        .as("after a restart")
        .hasSize(3)
        .containsOnly(Effect.NO_EXECUTE);
    assertThat(effects(health())).as("not wanted any more").containsOnly(Effect.NO_SCHEDULE);
    assertThat(health(EvictOn.LOST).taints("GPU-0"))
        .filteredOn(taint -> taint.effect() == Effect.NO_EXECUTE)
        .extracting(DeviceTaint::key)
        .containsExactly("gpu.example.com/lost");
  }

  @ParameterizedTest
  @EnumSource(Condition.class)
  void whatMayEndByItselfDrivesNoPodAway(Condition condition) {
    Health health = health(EvictOn.values());
    health.sees("GPU-0", condition, Optional.of("why"));

    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);
  }

  @Test
  void aGpuOnProbationDrivesNoPodAway() {
    Health health = health(EvictOn.values());
    assertThat(health.lost("GPU-0")).isTrue();
    health.reset("GPU-0");

    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);
  }

  @Test
  void anErrorThatIsNotInTheCatalogueDrivesNoPodAwayAndHidesNoneThatDoes() {
    Health health = health(EvictOn.values());
    assertThat(xid(health, 999)).isTrue();
    assertThat(effects(health)).containsExactly(Effect.NO_SCHEDULE);

    assertThat(xid(health, 79)).isTrue();
    assertThat(xid(health, 999)).as("it hides nothing").isFalse();
    assertThat(reasons(health)).containsExactly("XID 79 (fell off the bus)");
    assertThat(effects(health)).containsExactly(Effect.NO_EXECUTE);
  }

  @Test
  void anErrorInOneMigDeviceDrivesNoPodFromTheOthers() {
    Health health = health(EvictOn.values());
    Origin third = new Origin.GpuInstance(3);
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

  @Test
  void aTaintThatAnOlderPluginWroteDrivesNoPodAway() throws IOException {
    Files.writeString(
        directory.resolve("health.json"),
        """
        {"bootId": "boot-1", "wrong": [{"uuid": "GPU-0", "name": "xid", "key": "gpu.example.com/xid",
         "value": "79", "reason": "XID 79 (fell off the bus)", "since": 1}]}
        """);

    assertThat(effects(health(EvictOn.values()))).containsExactly(Effect.NO_SCHEDULE);
  }
}
