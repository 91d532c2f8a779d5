package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;

/** The result of a commit: all claims of the batch are held, or none is. */
public sealed interface CommitResult {

  /** Held, in flight, until the owner settles each claim. */
  record Committed(String node, ImmutableMap<ClaimUid, Grant> grants) implements CommitResult {}

  /**
   * Nothing changed: no node fits one claim, so every equal request gets the same refusal. It is
   * the same object while no node changes.
   */
  record NoNode(ImmutableMap<String, UnsuitableReason> reasons) implements CommitResult {}

  /** Nothing changed; the reasons of every evaluated node. */
  record Refused(ImmutableMap<String, Placement.DoesNotFit> reasons) implements CommitResult {}

  /** Nothing is decided: others changed the nodes during each of many searches. */
  record Changed() implements CommitResult {}

  /** Held on several nodes, in flight, until the owner settles each claim. */
  record AllCommitted(ImmutableMap<ClaimUid, Grant> grants) implements CommitResult {}

  /**
   * Nothing changed: a limit that is none of a node is reached.
   *
   * @param limits the names of the limits
   */
  record Limited(UnsuitableReason why, ImmutableSet<String> limits) implements CommitResult {

    Limited(CommitGuard.Limit limit) {
      this(limit.why(), limit.limits());
    }
  }

  /** The refusal of a node whose evaluation failed. */
  static CommitResult notJudged(String node, PodRequest request, String why) {
    return new Refused(ImmutableMap.of(node, Placement.DoesNotFit.notEvaluated(request, why)));
  }
}
