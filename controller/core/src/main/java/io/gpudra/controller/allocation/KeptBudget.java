package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.placement.Placement.DoesNotFit;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.PodRequest;
import java.util.Optional;

/**
 * The {@link KeptNodes} that refuse one commit: each answer may take a search, so a limited number
 * is asked, and the rest counts as full. Confined to one thread.
 */
final class KeptBudget {
  private static final int MAX_REFUSALS = 32;

  private int refusals;

  /** Whether the node counts as full. */
  boolean isOver(KeptNodes keptNodes, String node) {
    return refusals >= MAX_REFUSALS && keptNodes.concern(node);
  }

  /** The refusal of a node that counts as full. */
  static ImmutableMap<String, DoesNotFit> refusal(String node, PodRequest request) {
    return ImmutableMap.of(node, DoesNotFit.of(request, NodeRefusal.kept()));
  }

  /** The refusal of a draft; one of a node that is kept counts. */
  Optional<DoesNotFit> refusal(KeptNodes keptNodes, CommitDraft draft) {
    Optional<DoesNotFit> refusal = draft.refusal(keptNodes);
    if (refusal.isPresent() && keptNodes.concern(draft.seen().node())) {
      refusals++;
    }
    return refusal;
  }
}
