package io.gpudra.controller.view;

import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;

/** The text about an allocated part of a GPU. */
public final class PartText {
  private static final int MILLICORES_IN_PERCENT = 10;

  private PartText() {}

  /** {@code all of it}, {@code MIG device 1g.10gb}, {@code 20Gi of its memory, MPS}. */
  public static String of(GrantedPart part) {
    return part(part.part())
        + (part.sharing().equals(SharingStrategy.NONE) ? "" : ", " + part.sharing().strategy());
  }

  private static String part(Part part) {
    if (part instanceof Part.Slice slice) {
      return "MIG device " + slice.written();
    }
    return part instanceof Part.Share share ? share(share) : "all of it";
  }

  private static String share(Part.Share share) {
    String memory = MemorySize.text(share.memoryBytes()) + " of its memory";
    return share.millicores() == 0
        ? memory
        : "%s, %d %% of its compute".formatted(memory, share.millicores() / MILLICORES_IN_PERCENT);
  }
}
