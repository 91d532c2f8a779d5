package io.gpudra.controller.view;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.PartHolding;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim that holds a GPU or a part of one.
 *
 * @param device name of the device, such as {@code gpu-3}
 * @param grant empty if the claim is deallocated but still prepared on the node
 * @param prepared whether the node lists the claim as prepared
 */
public record DeviceHolder(
    ClaimUid claim,
    ClaimRef ref,
    GrantedPart part,
    String device,
    Optional<Grant> grant,
    boolean prepared) {

  /** Whether the claim is deallocated but still prepared on the node. */
  public boolean draining() {
    return grant.isEmpty();
  }

  /** The time of the allocation. */
  public Optional<Instant> since() {
    return grant.map(Grant::at);
  }

  /** The entry in the usage of the GPU. */
  public PartHolding holding() {
    return new PartHolding(claim, part);
  }

  /** The device name of this part of a GPU. */
  static String nameOf(GrantedPart part, Optional<Gpu> gpu) {
    String name = gpu.map(Gpu::name).orElse(part.gpuUuid());
    return part.part() instanceof Part.Slice slice ? slice.nameOn(name) : name;
  }
}
