package io.gpudra.controller.view.whatif;

import com.google.common.collect.ImmutableCollection;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.crds.model.Reason;

/** How long a search may ask questions and how many, and whether one of the answers was a guess. */
final class Effort {
  private static final String GUESSED = Cause.TOO_MANY_COMBINATIONS.label();

  private final Deadline deadline;
  private int left;
  private boolean exact = true;

  Effort(int questions, Deadline deadline) {
    this.deadline = deadline;
    this.left = questions;
  }

  /** Whether one more may be asked. */
  boolean spend() {
    left--;
    return !isOver();
  }

  /** Whether a question was not asked: then no answer of the search is final. */
  boolean isOver() {
    return left < 0 || deadline.isOver();
  }

  void refused(ImmutableCollection<Reason> reasons) {
    exact &= reasons.stream().noneMatch(reason -> reason.label().equals(GUESSED));
  }

  boolean isExact() {
    return exact;
  }
}
