package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gate.group.GroupQuorum;
import io.gpudra.controller.gate.group.GroupQuorum.GroupState;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.group.GroupAnswer;
import io.gpudra.controller.group.GroupRequest;
import io.gpudra.controller.group.GroupSearch;
import io.gpudra.controller.group.NodeCapacities;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.dryrun.GroupReleaseSearch;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.controller.view.explain.GroupDetails.Room;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;
import java.util.stream.Stream;

/** Explains why a group of pods waits. Members are searched by their devices only. */
record GroupExplainer(ObjectLookup lookup, NodeEvaluator nodeEvaluator) {

  /**
   * What is found.
   *
   * @param together whether the members start together
   * @param limit the quota that all members together would exceed
   * @param help claims whose release would let the group run
   */
  record Explained(
      GroupDetails details,
      boolean together,
      Optional<UnsuitableReason> limit,
      Optional<Help> help) {

    private static Explained of(GroupDetails details) {
      return new Explained(details, /* together= */ true, Optional.empty(), Optional.empty());
    }

    private static Explained ungated(String name) {
      GroupDetails details =
          GroupDetails.wrong(
              name, "no member has the scheduling gate, so the pods start one by one");
      return new Explained(details, /* together= */ false, Optional.empty(), Optional.empty());
    }
  }

  /** The group of the pod; empty if it is in none, or has a node. */
  Optional<Explained> of(PodView pod) {
    return pod.facts().group().isEmpty() || pod.node().isPresent() || pod.facts().deleting()
        ? Optional.empty()
        : Optional.of(of(pod.facts().group().get().name(), GatedPod.unit(pod.facts())));
  }

  private Explained of(String name, ObjectKey unit) {
    ClusterView objects = lookup.clusterView().objects();
    ImmutableList<PodView> all =
        Stream.concat(objects.pods().stream(), objects.finishedMembers().stream())
            .filter(pod -> pod.facts().group().isPresent())
            .filter(pod -> GatedPod.unit(pod.facts()).equals(unit))
            .collect(toImmutableList());
    ImmutableList<GatedPod> waiting =
        all.stream()
            .filter(pod -> pod.node().isEmpty())
            .filter(pod -> !pod.facts().deleting() && !pod.facts().terminal())
            .map(this::gated)
            .collect(toImmutableList());
    return waiting.stream().anyMatch(GatedPod::gated)
        ? of(name, waiting, all.stream().map(PodView::member).collect(toImmutableList()))
        : Explained.ungated(name);
  }

  private GatedPod gated(PodView pod) {
    ImmutableList<String> gates = pod.scheduling().gates();
    GateName gate = new GateName(lookup.clusterView().cluster().driver().name());
    return new GatedPod(
        pod.facts(),
        gates.contains(gate.own()),
        !gates.stream().allMatch(GateName::isOfADriver),
        NodeDemand.NONE,
        Optional.empty(),
        pod.scheduling().refusal(),
        Optional.empty());
  }

  private Explained of(
      String name, ImmutableList<GatedPod> waiting, ImmutableList<MemberFacts> members) {
    GroupState state = GroupQuorum.of(waiting, Optional.of(members));
    if (state instanceof GroupState.Invalid invalid) {
      return Explained.of(GroupDetails.wrong(name, invalid.problem()));
    }
    if (state instanceof GroupState.Ready ready) {
      GroupDetails there = GroupDetails.atGates(name, ready.needed().size(), ready.needed().size());
      return start(
          there,
          Stream.concat(ready.needed().stream(), waiting.stream().filter(pod -> !pod.gated()))
              .collect(toImmutableList()));
    }
    return state instanceof GroupState.Incomplete incomplete
        ? Explained.of(GroupDetails.atGates(name, incomplete.present(), incomplete.needed()))
        : Explained.of(GroupDetails.atGates(name, waiting.size(), 0));
  }

  private Explained start(GroupDetails there, ImmutableList<GatedPod> starting) {
    ImmutableList<String> problems =
        starting.stream().flatMap(pod -> problems(pod).limit(1)).collect(toImmutableList());
    ImmutableList<Member<GpuRequest>> open =
        starting.stream().flatMap(pod -> open(pod).stream()).collect(toImmutableList());
    return !problems.isEmpty() || open.isEmpty() || !lookup.clusterView().mayReadInventories()
        ? Explained.of(
            new GroupDetails(
                there.name(), problems, there.present(), there.needed(), Optional.empty()))
        : search(there, open);
  }

  private Stream<String> problems(GatedPod pod) {
    return lookup.podClaims().pending(pod.facts()).blockers().stream()
        .map(PodBlocker::reason)
        .filter(reason -> lookup.clusterView().knows(reason))
        .map(
            reason ->
                "pod %s: %s"
                    .formatted(pod.ref().name(), reason.text(NamespaceAudience.READER_OF_ALL)));
  }

  private Optional<Member<GpuRequest>> open(GatedPod pod) {
    PendingPod<GpuRequest> pending = lookup.podClaims().pending(pod.facts());
    return pending.mayAllocate()
        ? Optional.of(
            new Member<>(
                pod.ref(), pending.pendingClaims(), pod.demand(), nodeEvaluator.tie(pending)))
        : Optional.empty();
  }

  private Explained search(GroupDetails there, ImmutableList<Member<GpuRequest>> members) {
    if (members.size() > GroupRequest.MAX_MEMBERS) {
      return Explained.of(with(there, new Room(0, members.size(), false, Optional.empty())));
    }
    GroupRequest request = GpuGroupPlacer.request(members);
    ImmutableSet<String> nodes = nodeEvaluator.open();
    ImmutableList<NodeLedger> open =
        lookup.clusterView().cluster().ledgers().snapshot().stream()
            .filter(ledger -> nodes.contains(ledger.node()))
            .collect(toImmutableList());
    QueryDeadline deadline = QueryDeadline.ofAGroup();
    GroupAnswer answer =
        GroupSearch.of(open, node -> true, request, new NodeCapacities(), deadline::isOver);
    return answer instanceof GroupAnswer.Fits
        ? fits(there, members)
        : new Explained(
            with(there, room(answer, request)),
            /* together= */ true,
            Optional.empty(),
            Optional.of(
                nodeEvaluator.help(GroupReleaseSearch.of(open, request, every -> true, deadline))));
  }

  private static Room room(GroupAnswer answer, GroupRequest request) {
    int all = request.members().size();
    if (answer instanceof GroupAnswer.DoesNotFit no) {
      Optional<String> shortest =
          request.kinds().getOrDefault(no.shortest(), ImmutableList.of()).stream()
              .flatMap(part -> part.members().stream())
              .map(member -> member.pod().name())
              .findFirst();
      return new Room(no.fitting(), all, true, shortest);
    }
    return answer instanceof GroupAnswer.Undecided undecided
        ? new Room(undecided.fitting(), all, false, Optional.empty())
        : new Room(all, all, true, Optional.empty());
  }

  private Explained fits(GroupDetails there, ImmutableList<Member<GpuRequest>> members) {
    ImmutableList<PendingClaim<GpuRequest>> claims = Member.claims(members);
    Optional<UnsuitableReason> limit = nodeEvaluator.limit(members);
    return new Explained(
        with(there, new Room(members.size(), members.size(), true, Optional.empty())),
        /* together= */ true,
        limit,
        limit.map(unused -> nodeEvaluator.quotaHelp(claims)));
  }

  private static GroupDetails with(GroupDetails there, Room room) {
    return new GroupDetails(
        there.name(), there.problems(), there.present(), there.needed(), Optional.of(room));
  }
}
