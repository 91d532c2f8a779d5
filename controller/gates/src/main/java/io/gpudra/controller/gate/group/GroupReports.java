package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.ReportSink.Subject;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Events about groups, on their members.
 *
 * @param sink receives the events
 */
record GroupReports(ReportSink sink) {
  /** A user reads the events of some member, not of all. */
  static final int MAX_MEMBERS = 16;

  /** Nothing is allocated until the labels or the members change. */
  void invalid(ImmutableList<GatedPod> members, String problem) {
    tell(sink::warn, members, "GroupInvalid", ImmutableSet.of(problem), problem);
  }

  /** Members are missing. */
  void incomplete(ImmutableList<GatedPod> members, GroupQuorum.GroupState.Incomplete state) {
    tell(
        sink::warn,
        members,
        "GroupIncomplete",
        ImmutableSet.of(),
        "%s of %s members of a group of %s are at their gates: nothing is allocated before all are"
            .formatted(state.present(), state.needed(), state.size()));
  }

  /** Not all members fit. */
  void tooFew(ImmutableList<GatedPod> members, int fitting, int searched) {
    tell(
        sink::warn,
        members,
        "GroupDoesNotFit",
        ImmutableSet.of(),
        "%s of %s members fit at once: nothing is allocated before all do"
            .formatted(fitting, searched));
  }

  /** Nodes are kept for the group. */
  void kept(ImmutableList<GatedPod> members, KeptNodesNotice kept) {
    tell(
        sink::warn,
        members,
        KeptNodesNotice.REASON,
        ImmutableSet.of(kept.until().toString()),
        kept.text());
  }

  /** Nodes are not kept for the group any more. */
  void keptNoLonger(ImmutableList<GatedPod> members, KeptNodesNotice before) {
    tell(
        sink::warn,
        members,
        KeptNodesNotice.REASON,
        ImmutableSet.of("ended", before.until().toString()),
        KeptNodesNotice.ENDED);
  }

  /** The search ended without an answer. */
  void undecided(ImmutableList<GatedPod> members, int fitting, int searched) {
    tell(
        sink::warn,
        members,
        "GroupUndecided",
        ImmutableSet.of(),
        "%s; %d do: use fewer kinds of members"
            .formatted(GroupPlacing.Undecided.why(searched), fitting));
  }

  /** The list of the pods with the labels of the group is too large. */
  void largeList(ImmutableList<GatedPod> members) {
    unlisted(members, "has more than %d bytes".formatted(GatedPods.MAX_LISTED_BYTES));
  }

  /** The list of the pods with the labels of the group took too long. */
  void slowList(ImmutableList<GatedPod> members) {
    unlisted(members, "takes longer than %d s".formatted(ControllerDelays.GROUP_LIST.toSeconds()));
  }

  private void unlisted(ImmutableList<GatedPod> members, String problem) {
    tell(
        sink::warn,
        members,
        "GroupUndecided",
        ImmutableSet.of(problem),
        "whether enough members are there is unknown: a list of all pods with the labels of the"
            + " group "
            + problem);
  }

  /**
   * All members of a group lost their gates, with their claims allocated.
   *
   * @param created the creation time of the youngest of them
   */
  void started(GroupSize size, Instant created) {
    sink.groupStarted(size.label(), created);
  }

  /** No member has the gate, so the labels have no effect. */
  void ungated(GatedPod pod) {
    tell(
        sink::note,
        ImmutableList.of(pod),
        "GroupWithoutGate",
        ImmutableSet.of(),
        "no member of the group has the scheduling gate: the pods start one by one");
  }

  private static void tell(
      Consumer<Warning> sink,
      ImmutableList<GatedPod> members,
      String reason,
      ImmutableSet<String> causes,
      String text) {
    members.stream()
        .limit(MAX_MEMBERS)
        .forEach(
            pod -> sink.accept(new Warning(new Subject.OnPod(pod.ref()), reason, causes, text)));
  }
}
