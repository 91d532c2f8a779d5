package io.gpudra.simulator.kubelet;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Profile;
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
  synchronized void put(ClaimInfo info) {
    claims.merge(info.key(), info, (old, update) -> update.withPods(old.pods()));
  }

  synchronized void change(ClaimKey key, UnaryOperator<ClaimInfo> change) {
    claims.computeIfPresent(key, (k, info) -> change.apply(info));
  }

  /**
   * Forgets that a pod uses the claim, unless nobody else does. Only in this is a real kubelet 1.30
   * worse: it looks and forgets in two steps, so that of two pods that end together none may be the
   * last. Like it, this one takes any pod for the last one, even one that never had the claim.
   *
   * @return the claim to unprepare, when no other pod uses it
   */
  synchronized Optional<ClaimInfo> lastUse(ClaimKey key, String pod) {
    Optional<ClaimInfo> info = get(key);
    if (info.isPresent() && info.get().pods().size() > 1) {
      change(key, known -> known.withoutPod(pod));
      return Optional.empty();
    }
    return info;
  }

  synchronized void remove(ClaimKey key) {
    claims.remove(key);
  }

  synchronized void save() {
    checkpoint = ImmutableMap.copyOf(claims);
  }

  /** Forgets all that was not saved; one of 1.27 takes the rest for prepared, whatever happened. */
  synchronized void restore(Profile profile) {
    claims.clear();
    checkpoint.forEach((key, info) -> claims.put(key, info.afterRestart(profile)));
  }
}
