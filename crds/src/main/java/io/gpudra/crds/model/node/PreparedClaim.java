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
 * A claim that a node holds devices for, from the moment preparation is intended until it is undone
 * or unprepared.
 *
 * @param parts what is held; nothing for a claim that only its name is known of
 * @param orphanedSince set when the claim's API object is gone while the node still holds its
 *     devices
 * @param waits why containers of it wait although it is prepared, for people
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

  /** With whole GPUs. */
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

  /** The same, of which containers wait for that reason. */
  public PreparedClaim waiting(Optional<String> why) {
    return new PreparedClaim(uid, ref, parts, orphanedSince, why);
  }

  /** UUIDs of the GPUs that the parts are of. */
  public ImmutableSet<String> deviceUuids() {
    return parts.stream().map(GrantedPart::gpuUuid).collect(toImmutableSet());
  }
}
