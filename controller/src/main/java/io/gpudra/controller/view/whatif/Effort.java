package io.gpudra.controller.view.whatif;

import com.google.common.collect.ImmutableCollection;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.crds.model.Reason;

/** How many questions a search may ask, and whether one of the answers was a guess. */
final class Effort {
  private static final String GUESSED = Cause.TOO_MANY_COMBINATIONS.label();

  private int left;
  private boolean exact = true;

  Effort(int questions) {
    this.left = questions;
  }

  /** Whether one more may be asked. */
  boolean spend() {
    left--;
    return left >= 0;
  }

  /** Whether a question was not asked: then no answer of the search is final. */
  boolean isOver() {
    return left < 0;
  }

  void refused(ImmutableCollection<Reason> reasons) {
    exact &= reasons.stream().noneMatch(reason -> reason.label().equals(GUESSED));
  }

  boolean isExact() {
    return exact;
  }
}
