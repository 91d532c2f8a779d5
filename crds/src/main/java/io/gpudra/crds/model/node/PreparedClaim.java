package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim for which a node holds devices, from the time when preparation is intended until it is
 * undone or unprepared.
 *
 * @param parts the held parts; empty for a claim of which only the name is known
 * @param orphanedSince set when the claim's API object is gone while the node still holds its
 *     devices
 * @param waits the reason, for people, why its containers wait although it is prepared
 */
public record PreparedClaim(
    ClaimUid uid,
    ClaimRef ref,
    ImmutableList<GrantedPart> parts,
    Optional<Instant> orphanedSince,
    Optional<String> waits) {

  /** A claim whose containers do not wait. */
  public PreparedClaim(
      ClaimUid uid,
      ClaimRef ref,
      ImmutableList<GrantedPart> parts,
      Optional<Instant> orphanedSince) {
    this(uid, ref, parts, orphanedSince, Optional.empty());
  }

  /** A claim with whole GPUs. */
  public PreparedClaim(
      ClaimUid uid,
      ClaimRef ref,
      ImmutableSet<String> deviceUuids,
      Optional<Instant> orphanedSince) {
    this(
        uid,
        ref,
        deviceUuids.stream().map(GrantedPart::whole).collect(toImmutableList()),
        orphanedSince);
  }

  /** The same claim, whose containers wait for this reason. */
  public PreparedClaim waiting(Optional<String> why) {
    return new PreparedClaim(uid, ref, parts, orphanedSince, why);
  }

  /** The UUIDs of the GPUs of the parts. */
  public ImmutableSet<String> deviceUuids() {
    return parts.stream().map(GrantedPart::gpuUuid).collect(toImmutableSet());
  }
}
