package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;

/**
 * The claims of earlier boots that the kubelet may have in its checkpoint, at most one per name.
 * The kubelet keeps the first handle until it has unprepared the claim, and sends this handle even
 * if the claim has another grant by then (protocol.md 9.1).
 *
 * @param claims oldest first
 */
record KubeletMemory(ImmutableList<Remembered> claims) {

  /**
   * The maximum number of claims of a boot. A kubelet never unprepares claims whose only users were
   * pods deleted by force, so the list could grow forever.
   */
  static final int MAX = CheckpointCache.MAX;

  /** The claims of an earlier boot's checkpoint that the kubelet may remember. */
  static KubeletMemory of(Checkpoint earlier) {
    ImmutableList<Remembered> held =
        earlier.claims().values().stream()
            .map(entry -> new Remembered(entry.ref(), entry.grant()))
            .collect(toImmutableList());
    KubeletMemory older = new KubeletMemory(earlier.remembered());
    for (Remembered claim : held) {
      older = older.without(claim.ref());
    }
    ImmutableList<Remembered> all =
        Streams.concat(older.claims.stream(), held.stream())
            .map(claim -> new Remembered(claim.ref(), claim.grant()))
            .collect(toImmutableList());
    return new KubeletMemory(newest(all));
  }

  private static ImmutableList<Remembered> newest(ImmutableList<Remembered> all) {
    return all.subList(Math.max(0, all.size() - MAX), all.size());
  }

  /** Whether the kubelet may have a handle under the key of this name. */
  boolean has(ClaimRef ref) {
    return claims.stream().anyMatch(claim -> sameKey(claim, ref));
  }

  /** The same claims, where the kubelet considers the claim under the key of this name prepared. */
  KubeletMemory prepared(ClaimRef ref) {
    return new KubeletMemory(
        claims.stream()
            .map(
                claim ->
                    sameKey(claim, ref) ? new Remembered(claim.ref(), claim.grant(), true) : claim)
            .collect(toImmutableList()));
  }

  KubeletMemory without(ClaimRef ref) {
    return new KubeletMemory(
        claims.stream().filter(claim -> !sameKey(claim, ref)).collect(toImmutableList()));
  }

  private static boolean sameKey(Remembered claim, ClaimRef ref) {
    return claim.ref().kubeletKey().equals(ref.kubeletKey());
  }
}
