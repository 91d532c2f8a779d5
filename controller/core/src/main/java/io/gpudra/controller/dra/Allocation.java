package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.Handle;
import io.gpudra.crds.model.ClaimUid;

/** A driver's answer to a batch: all or none. */
public sealed interface Allocation {

  /** Held for all claims until each is {@link Driver#granted} or {@link Driver#release}d. */
  record Held(String node, ImmutableMap<ClaimUid, Handle> handles) implements Allocation {

    /** What to write into the claim, one of those that were asked for. */
    public Handle handle(ClaimUid claim) {
      Handle handle = handles.get(claim);
      if (handle == null) {
        throw new IllegalStateException("the driver held devices but not for claim " + claim);
      }
      return handle;
    }
  }

  /**
   * Nothing is held for this batch.
   *
   * @param alike whether any claim of equal parameters and class is refused now; its reasons are
   *     then the same object until that may be otherwise
   */
  record Refused(Suitability why, boolean alike) implements Allocation {
    /** Refused for what others may not share. */
    public Refused(Suitability why) {
      this(why, /* alike= */ false);
    }
  }
}
