package io.gpudra.kubeletplugin.checkpoint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/**
 * The state that the plugin keeps across restarts.
 *
 * @param bootId of the boot in which the claims were prepared; another boot has none of them
 * @param claims the held devices of each claim
 * @param remembered claims of earlier boots that the kubelet may still have in its own checkpoint,
 *     oldest first; they hold nothing
 */
public record Checkpoint(
    String bootId, ImmutableMap<ClaimUid, Entry> claims, ImmutableList<Remembered> remembered) {

  /** The progress of a claim. */
  public enum Phase {
    /** Devices may be set up in part; no container uses them. */
    INTENDED,
    /** All devices are set up; containers may use them. */
    PREPARED
  }

  /**
   * One claim with the devices that it holds.
   *
   * @param made notes on MIG devices that were created for it, by their names; not of all, and none
   *     from an older plugin
   * @param pods that may use it, if the kubelet might not unprepare the claim; empty otherwise, and
   *     when they are not known, as from an older plugin
   */
  public record Entry(
      Phase phase,
      ClaimRef ref,
      Grant grant,
      ImmutableMap<String, String> made,
      Optional<Pods> pods) {}

  /**
   * UIDs of pods, as they concern a claim.
   *
   * @param users every pod for which the claim was ever seen reserved
   * @param before the pods whose sandbox existed before the claim was prepared: if they are no
   *     users, they have none of its devices
   */
  public record Pods(ImmutableSet<String> users, ImmutableSet<String> before) {}

  /**
   * One claim with the grant that the kubelet received.
   *
   * @param prepared whether the kubelet considers it prepared in this boot and would start a pod
   *     without a call, although nothing is held for it
   */
  public record Remembered(ClaimRef ref, Grant grant, boolean prepared) {

    /** A claim of an earlier boot. */
    public Remembered(ClaimRef ref, Grant grant) {
      this(ref, grant, false);
    }
  }
}
