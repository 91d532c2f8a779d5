package io.gpudra.simulator.kubelet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.kubelet.DraPlugin.ClaimCall;
import java.util.Set;

/**
 * What a kubelet remembers of a claim it prepares.
 *
 * @param calls what the plugins were and will be told; two handles for one driver are two calls
 * @param cdiDevices by driver
 * @param pods UIDs of the pods that use the claim here
 * @param prepared not part of the checkpoint: since 1.28 a restarted kubelet prepares again for the
 *     next pod, with the handle it saw first
 */
record ClaimInfo(
    ClaimKey key,
    String uid,
    ImmutableList<DriverCall> calls,
    ImmutableMap<String, ImmutableList<String>> cdiDevices,
    ImmutableSet<String> pods,
    boolean prepared) {

  /** The real key: a bare concatenation in which neighbours collide (protocol.md 4.6, N14). */
  record ClaimKey(String text) {
    static ClaimKey of(String claim, String namespace) {
      return new ClaimKey(claim + namespace);
    }
  }

  record DriverCall(String driver, ClaimCall call) {
    /** The same, and the claim has another UID. */
    DriverCall of(String uid) {
      return new DriverCall(
          driver, new ClaimCall(call.namespace(), uid, call.name(), call.handle()));
    }
  }

  ClaimInfo withPods(Set<String> more) {
    return withOnly(Sets.union(pods, more));
  }

  ClaimInfo withoutPod(String pod) {
    return withOnly(Sets.difference(pods, Set.of(pod)));
  }

  private ClaimInfo withOnly(Set<String> these) {
    return new ClaimInfo(key, uid, calls, cdiDevices, ImmutableSet.copyOf(these), prepared);
  }

  /** After the answer of one plugin; from the first on the claim counts as prepared. */
  ClaimInfo withDevices(String driver, ImmutableList<String> devices) {
    ImmutableMap<String, ImmutableList<String>> more =
        ImmutableMap.<String, ImmutableList<String>>builder()
            .putAll(cdiDevices)
            .put(driver, devices)
            .buildKeepingLast();
    return new ClaimInfo(key, uid, calls, more, pods, true);
  }

  ClaimInfo afterRestart(Profile profile) {
    return new ClaimInfo(key, uid, calls, cdiDevices, pods, profile == Profile.V1_27);
  }
}
