package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;

/** The claims to release so that a pod fits that fits on no node now. */
public sealed interface ReleaseRemedy {

  /**
   * The pod fits on the node once all of these claims are released.
   *
   * @param exact whether this is the smallest set on any node; false if the budget was exhausted
   */
  record Release(String node, ImmutableList<BlockingClaim> blockers, boolean exact)
      implements ReleaseRemedy {}

  /**
   * Once all of these claims are released, the quotas of the namespace allow the pod, or all
   * members of a group fit at once.
   *
   * @param exact whether no smaller set is enough
   */
  record Claims(ImmutableList<BlockingClaim> blockers, boolean exact) implements ReleaseRemedy {}

  /** The pod would not fit even if all proposable claims were released. */
  record NoneHelps() implements ReleaseRemedy {}

  /**
   * The budget was exhausted.
   *
   * @param most no set of this size or smaller is enough
   */
  record NotWithin(int most) implements ReleaseRemedy {

    /** The text for users. */
    public String text() {
      return most == 0
          ? "the search for claims to release took too long"
          : "releasing %d or fewer claims is not enough; larger sets were not tried"
              .formatted(most);
    }
  }
}
