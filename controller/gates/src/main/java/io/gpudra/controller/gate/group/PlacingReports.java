package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import java.util.Optional;

/**
 * Tells the members of a group that was not placed why they wait.
 *
 * @param claims receives the events on claims
 */
record PlacingReports(GroupPlacer<?> placer, GroupReports reports, ClaimEventRecorder claims) {
  /** The claims on which a limit is told: a user reads the events of some claim, not of all. */
  private static final int MAX_CLAIMS = 16;

  void refused(GroupPass<?> pass, OpenMembers<?> open, GroupPlacing placing) {
    ImmutableList<GatedPod> needed = pass.state().needed();
    if (placing instanceof GroupPlacing.Limited limited) {
      limited(open, limited);
      return;
    }
    if (placing instanceof GroupPlacing.Undecided undecided) {
      reports.undecided(needed, undecided.fitting(), open.members().size());
    } else if (placing instanceof GroupPlacing.TooFew tooFew) {
      reports.tooFew(needed, tooFew.fitting(), open.members().size());
    }
    placer.kept(pass.work()).ifPresent(kept -> reports.kept(needed, kept));
  }

  private void limited(OpenMembers<?> open, GroupPlacing.Limited limited) {
    open.claims().stream()
        .limit(MAX_CLAIMS)
        .forEach(
            one ->
                claims.limited(
                    ImmutableList.of(one.claim()),
                    Optional.empty(),
                    limited.why(),
                    limited.limits()));
  }
}
