package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.placing.Placement;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Reason;

/** What became of a commit: all claims of the batch are held, or none is. */
public sealed interface Commitment {

  /** Held, in flight, until each claim is settled by its owner. */
  record Committed(String node, ImmutableMap<ClaimUid, Grant> grants) implements Commitment {}

  /**
   * Nothing changed: no node has what one claim asks for, and so whoever asks for the same is
   * refused alike. The same object while no node changes.
   */
  record NoNode(ImmutableMap<String, Reason> reasons) implements Commitment {}

  /** Nothing changed; every node that was looked at, with its reasons. */
  record Refused(ImmutableMap<String, Placement.DoesNotFit> reasons) implements Commitment {}
}
