package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Tells the members of groups why they wait, and which nodes are kept for them. */
final class PlacingReports {
  /** The claims on which a limit is told: a user reads the events of some claim, not of all. */
  private static final int MAX_CLAIMS = 16;

  private final GroupPlacer<?> placer;
  private final GroupReports reports;
  private final ClaimEventRecorder claims;

  /** By group, the last notice about nodes that are kept. */
  private final Map<WorkKey, KeptNodesNotice> told = new ConcurrentHashMap<>();

  /**
   * Nothing was told yet.
   *
   * @param claims receives the events on claims
   */
  PlacingReports(GroupPlacer<?> placer, GroupReports reports, ClaimEventRecorder claims) {
    this.placer = placer;
    this.reports = reports;
    this.claims = claims;
  }

  /** The group was not placed. */
  void refused(GroupPass<?> pass, OpenMembers<?> open, GroupPlacing placing) {
    ImmutableList<GatedPod> needed = pass.state().needed();
    if (placing instanceof GroupPlacing.Limited limited) {
      limited(open, limited);
    } else if (placing instanceof GroupPlacing.Undecided undecided) {
      reports.undecided(needed, undecided.fitting(), open.members().size());
    } else if (placing instanceof GroupPlacing.TooFew tooFew) {
      reports.tooFew(needed, tooFew.fitting(), open.members().size());
    }
    kept(pass.work(), needed);
  }

  /** Tells the nodes that are kept for the group, or that nodes are kept no longer. */
  void kept(WorkKey group, ImmutableList<GatedPod> members) {
    Optional<KeptNodesNotice> now = placer.kept(group);
    Optional<KeptNodesNotice> before =
        Optional.ofNullable(now.isPresent() ? told.put(group, now.get()) : told.remove(group));
    now.ifPresentOrElse(
        kept -> reports.kept(members, kept),
        () -> before.ifPresent(ended -> reports.keptNoLonger(members, ended)));
  }

  /** No member waits at its gate. */
  void forget(WorkKey group) {
    told.remove(group);
  }

  /** The number of groups for which nodes are kept, according to the last notices. */
  int size() {
    return told.size();
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
