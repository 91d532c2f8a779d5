package io.gpudra.crds.model.node;

import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.time.Duration;
import java.util.Optional;

/**
 * Taints of GPUs that a claim tolerates; the meaning is that of tolerations of node taints.
 *
 * @param key of the taint; empty for all taints
 * @param value of the taint, absent for every value
 * @param effect absent for every effect
 * @param duration how long pods may stay under a taint that evicts; absent for no limit
 */
public record DeviceToleration(
    String key, Optional<String> value, Optional<Effect> effect, Optional<Duration> duration) {

  /** Tolerates every taint for any time. */
  public static final DeviceToleration ALL =
      new DeviceToleration("", Optional.empty(), Optional.empty(), Optional.empty());

  /** Whether the claim tolerates the taint, if only for a while. */
  public boolean tolerates(DeviceTaint taint) {
    return (key.isEmpty() || key.equals(taint.key()))
        && value.filter(other -> !other.equals(taint.value())).isEmpty()
        && effect.filter(other -> other != taint.effect()).isEmpty();
  }
}
