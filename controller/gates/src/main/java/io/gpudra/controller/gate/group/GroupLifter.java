package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.allocator.SideBySide;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gate.GateReports;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.LiftReason;
import java.util.concurrent.Executor;

/**
 * Removes the gates of several pods side by side.
 *
 * @param writes runs the writes; must not be the pool that runs the loops
 */
public record GroupLifter(GatedPods pods, GateReports reports, Executor writes) {

  /** A pod whose claims are allocated. */
  record GrantedPod(GatedPod pod, ImmutableSet<ClaimFacts> claims) {}

  /**
   * Removes the gates.
   *
   * @return whether all are removed, or their pods gone
   */
  boolean lift(ImmutableList<GrantedPod> granted) {
    return SideBySide.each(granted, this::lift, writes).stream().allMatch(lifted -> lifted);
  }

  private boolean lift(GrantedPod granted) {
    WriteOutcome.Kind outcome = pods.lift(granted.pod());
    switch (outcome) {
      case DONE -> reports.lifted(granted.pod(), LiftReason.GRANTED, granted.claims());
      case REJECTED -> reports.stuck(granted.pod());
      case GONE, CONFLICT, UNCLEAR -> {}
    }
    return outcome == WriteOutcome.Kind.DONE || outcome == WriteOutcome.Kind.GONE;
  }
}
