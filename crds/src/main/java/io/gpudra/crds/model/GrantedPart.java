package io.gpudra.crds.model;

import java.util.Optional;

/**
 * A part of one GPU that was allocated to a claim.
 *
 * @param overcommitPercent of a {@link Part.Share}: the percentage of the GPU's memory that may be
 *     allocated, according to the class at that time; 100 for other parts
 * @param existing a static MIG device, which the driver neither creates nor destroys
 * @param inside the claim whose part of the same GPU contains this one
 * @param request name of the claim's request; absent when the claim has only one
 */
public record GrantedPart(
    String gpuUuid,
    Part part,
    SharingStrategy sharing,
    int overcommitPercent,
    boolean existing,
    Optional<ClaimUid> inside,
    Optional<String> request) {

  /** All of a GPU. */
  public static GrantedPart whole(String gpuUuid) {
    return new GrantedPart(
        gpuUuid,
        new Part.Whole(),
        SharingStrategy.NONE,
        100,
        false,
        Optional.empty(),
        Optional.empty());
  }
}
