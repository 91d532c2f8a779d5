package io.gpudra.controller.view.whatif;

import com.google.common.collect.ImmutableList;

/** What would have to be let go of, so that a pod that fits nowhere now would fit. */
public sealed interface Remedy {

  /**
   * Once all of these have let go the pod fits on the node, and nowhere would fewer do.
   *
   * @param exact whether that there are not fewer is certain; some nodes were too much to search
   */
  record Release(String node, ImmutableList<Blocker> blockers, boolean exact) implements Remedy {}

  /** It would not fit if all were let go of that may be proposed. */
  record NoneHelps() implements Remedy {}

  /**
   * The search was too long.
   *
   * @param most no set of so many claims or fewer would do
   */
  record NotWithin(int most) implements Remedy {}
}
