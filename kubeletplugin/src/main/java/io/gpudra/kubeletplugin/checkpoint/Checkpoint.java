package io.gpudra.kubeletplugin.checkpoint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;

/**
 * What the plugin must not forget.
 *
 * @param bootId of the boot in which the claims were prepared; another boot has none of them
 * @param claims what is held, for each claim
 * @param remembered claims of earlier boots that the kubelet may still have in its own checkpoint,
 *     oldest first; nothing is held for them
 */
public record Checkpoint(
    String bootId, ImmutableMap<ClaimUid, Entry> claims, ImmutableList<Remembered> remembered) {

  /** How far a claim got. */
  public enum Phase {
    /** Devices may be set up in part; no container uses them. */
    INTENDED,
    /** Everything is in place; containers may use it. */
    PREPARED
  }

  /**
   * One claim with what it holds.
   *
   * @param made notes on MIG devices that were made for it, by their names; not of all, and none in
   *     what an older plugin wrote
   */
  public record Entry(Phase phase, ClaimRef ref, Grant grant, ImmutableMap<String, String> made) {

    /** Of a claim for which no MIG device was made. */
    public Entry(Phase phase, ClaimRef ref, Grant grant) {
      this(phase, ref, grant, ImmutableMap.of());
    }
  }

  /** One claim with the grant that the kubelet saw. */
  public record Remembered(ClaimRef ref, Grant grant) {}
}
