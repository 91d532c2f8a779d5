package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableCollection;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Doubt;

/** Budget of a search: its time limit and number of placements. */
final class DryRunBudget {
  private final QueryDeadline deadline;
  private int remaining;
  private boolean exact = true;

  DryRunBudget(int questions, QueryDeadline deadline) {
    this.deadline = deadline;
    this.remaining = questions;
  }

  /** Spends one placement; false if the budget is exhausted. */
  boolean spend() {
    remaining--;
    return !isOver();
  }

  /** Whether the budget was exhausted, so that the result is not exact. */
  boolean isOver() {
    return remaining < 0 || deadline.isOver();
  }

  void refused(ImmutableCollection<UnsuitableReason> reasons) {
    exact &= reasons.stream().noneMatch(reason -> reason.kind().doubt() == Doubt.UNDECIDED);
  }

  boolean isExact() {
    return exact;
  }
}
