package io.gpudra.crds.model;

import java.util.Optional;

/**
 * A part of one GPU that a claim was granted.
 *
 * @param overcommitPercent of a {@link Part.Share}: to how many percent of its memory the GPU may
 *     be promised, as the class said when it was granted; 100 for other parts
 * @param existing a static MIG device, which the driver neither makes nor destroys
 * @param inside the claim whose part of the same GPU this one is carved out of
 * @param request name of the claim's request it serves; absent when the claim has only one
 */
public record GrantedPart(
    String gpuUuid,
    Part part,
    Sharing sharing,
    int overcommitPercent,
    boolean existing,
    Optional<ClaimUid> inside,
    Optional<String> request) {

  /** All of a GPU. */
  public static GrantedPart whole(String gpuUuid) {
    return new GrantedPart(
        gpuUuid, new Part.Whole(), Sharing.NONE, 100, false, Optional.empty(), Optional.empty());
  }
}
