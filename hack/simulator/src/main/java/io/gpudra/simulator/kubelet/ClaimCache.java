package io.gpudra.simulator.kubelet;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.kubelet.ClaimInfo.ClaimKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The claims of a node in the kubelet's memory, and the checkpoint that outlives it. */
final class ClaimCache {
  private final Map<ClaimKey, ClaimInfo> claims = new HashMap<>();
  private ImmutableMap<ClaimKey, ClaimInfo> checkpoint = ImmutableMap.of();

  synchronized Optional<ClaimInfo> get(ClaimKey key) {
    return Optional.ofNullable(claims.get(key));
  }

  /** Stores what a plugin prepared; pods that came meanwhile stay. */
  /** Stores what a plugin prepared; pods that came meanwhile stay. */
  synchronized void put(ClaimInfo info) {
    claims.merge(info.key(), info, (old, update) -> update.withPods(old.pods()));
  }

  synchronized void change(ClaimKey key, UnaryOperator<ClaimInfo> change) {
    claims.computeIfPresent(key, (k, info) -> change.apply(info));
  }

  synchronized void remove(ClaimKey key) {
    claims.remove(key);
  }

  synchronized void save() {
    checkpoint = ImmutableMap.copyOf(claims);
  }

  /** Forgets all that was not saved. */
  synchronized void restore() {
    claims.clear();
    checkpoint.forEach((key, info) -> claims.put(key, info.afterRestart()));
  }
}
