package io.gpudra.controller.view;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.Holding;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim that has a GPU or a part of one.
 *
 * @param device name of what it has, such as {@code gpu-3}
 * @param grant absent when it was given back, and the node has still prepared it
 * @param prepared whether the node lists it as prepared
 */
public record Holder(
    ClaimUid claim,
    ClaimRef ref,
    GrantedPart part,
    String device,
    Optional<Grant> grant,
    boolean prepared) {

  /** Whether it was given back and the node has not let it go yet. */
  public boolean draining() {
    return grant.isEmpty();
  }

  /** When it was granted. */
  public Optional<Instant> since() {
    return grant.map(Grant::at);
  }

  /** As the GPU counts it. */
  public Holding holding() {
    return new Holding(claim, part);
  }

  /** Name of the device that this part of a GPU is. */
  static String nameOf(GrantedPart part, Optional<Gpu> gpu) {
    String name = gpu.map(Gpu::name).orElse(part.gpuUuid());
    return part.part() instanceof Part.Slice slice ? slice.nameOn(name) : name;
  }
}
