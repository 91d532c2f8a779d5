package io.gpudra.crds.model.node;

import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.util.Optional;

/**
 * Taints of nodes that a pod tolerates.
 *
 * @param key of the taint; empty for all taints
 * @param value of the taint, absent for every value
 * @param effect absent for every effect
 */
public record NodeToleration(String key, Optional<String> value, Optional<Effect> effect) {

  /** Whether the pod tolerates the taint. */
  public boolean tolerates(NodeTaint taint) {
    return (key.isEmpty() || key.equals(taint.key()))
        && value.filter(other -> !other.equals(taint.value())).isEmpty()
        && effect.filter(other -> other != taint.effect()).isEmpty();
  }
}
