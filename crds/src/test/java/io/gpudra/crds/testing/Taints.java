package io.gpudra.crds.testing;

import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.time.Instant;
import java.util.Optional;

/** Taints of devices. */
public final class Taints {

  private Taints() {}

  public static DeviceTaint noSchedule(String key) {
    return taint(key, "", Effect.NO_SCHEDULE, "");
  }

  public static DeviceTaint noSchedule(String key, String reason) {
    return taint(key, "", Effect.NO_SCHEDULE, reason);
  }

  public static DeviceTaint taint(String key, String value, Effect effect, String reason) {
    return new DeviceTaint(key, value, effect, reason, Optional.empty(), Optional.empty());
  }

  public static DeviceTaint taint(
      String key, String value, Effect effect, String reason, Instant since) {
    return new DeviceTaint(key, value, effect, reason, Optional.of(since), Optional.empty());
  }
}
