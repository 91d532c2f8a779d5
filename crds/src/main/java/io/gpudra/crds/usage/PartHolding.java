package io.gpudra.crds.usage;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.MigState;

/** A part and its claim. */
public record PartHolding(ClaimUid claim, GrantedPart part) {

  /** Whether the holding includes this MIG device of the part's GPU. */
  public boolean has(MigState.Device device) {
    boolean mayBeOurs = device.claim().map(claim::equals).orElse(true);
    return mayBeOurs
        && (part.part() instanceof Part.Slice slice
            ? !device.foreign() && device.isIn(slice)
            : part.part() instanceof Part.Whole);
  }
}
