package io.gpudra.simulator.kubelet;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.kubelet.ClaimInfo.ClaimKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The kubelet's claim cache and its checkpoint, which survives restarts. */
final class ClaimCache {
  private final Map<ClaimKey, ClaimInfo> claims = new HashMap<>();
  private ImmutableMap<ClaimKey, ClaimInfo> checkpoint = ImmutableMap.of();

  synchronized Optional<ClaimInfo> get(ClaimKey key) {
    return Optional.ofNullable(claims.get(key));
  }

  /** Stores a prepared claim; pods that were added meanwhile are kept. */
  synchronized void put(ClaimInfo info) {
    claims.merge(info.key(), info, (old, update) -> update.withPods(old.pods()));
  }

  synchronized void change(ClaimKey key, UnaryOperator<ClaimInfo> change) {
    claims.computeIfPresent(key, (k, info) -> change.apply(info));
  }

  /**
   * Removes a pod from the claim's users, unless it is the last one. A real kubelet 1.30 checks and
   * removes in two steps, so that of two pods that end together none may be the last. Like a real
   * one, this one also accepts a pod as the last user that never had the claim.
   *
   * @return the claim to unprepare, if no other pod uses it
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

  /** Drops all unsaved state; a kubelet 1.27 then considers all other claims prepared. */
  synchronized void restore(Profile profile) {
    claims.clear();
    checkpoint.forEach((key, info) -> claims.put(key, info.afterRestart(profile)));
  }
}
