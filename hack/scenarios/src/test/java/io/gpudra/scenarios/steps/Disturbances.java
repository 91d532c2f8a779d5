package io.gpudra.scenarios.steps;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Where a kubelet and its plugin may think differently of claims, which only a person can mend. */
final class Disturbances {
  private final Set<String> lost = new TreeSet<>();
  private final Set<String> rebooted = new TreeSet<>();
  private final SetMultimap<String, String> disturbed = HashMultimap.create();

  /** By claim whether the call is over. */
  private final Map<ClaimUid, Boolean> takenBack = new HashMap<>();

  /**
   * A call about these claims has lost its answer. What the kubelet takes for unprepared it never
   * gives back, what it takes for prepared it never prepares again, or with the handle of an
   * earlier allocation (protocol N10).
   */
  void disturbed(Machine machine, Collection<ClaimRef> claims) {
    claims.forEach(claim -> disturbed.put(machine.name(), claim.kubeletKey()));
  }

  /** So it may be with all claims of the machine. */
  void disturbed(Machine machine) {
    lost.add(machine.name());
  }

  /**
   * Its kubelet goes on counting pods that were deleted while it was away, so what such a pod
   * shared with a later one is never unprepared (protocol.md 9.1).
   */
  void rebooted(Machine machine) {
    rebooted.add(machine.name());
  }

  boolean wasRebooted(Machine machine) {
    return rebooted.contains(machine.name());
  }

  boolean wasDisturbed(Machine machine, ClaimRef claim) {
    return lost.contains(machine.name())
        || disturbed.containsEntry(machine.name(), claim.kubeletKey());
  }

  /**
   * The kubelet asks for the end of a claim. It may do so while containers use it: any pod that
   * names the claim and ends is the last one to it, even one that never had it. More of them may
   * start while the call goes on.
   */
  void takesBack(ClaimUid claim) {
    takenBack.put(claim, false);
  }

  /** The call is over. */
  void tookBack(ClaimUid claim) {
    takenBack.put(claim, true);
  }

  /** Claims of calls that go on, or ended since the last question. */
  ImmutableSet<ClaimUid> takenBack() {
    ImmutableSet<ClaimUid> claims = ImmutableSet.copyOf(takenBack.keySet());
    takenBack.values().removeIf(over -> over);
    return claims;
  }
}
