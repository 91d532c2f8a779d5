package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.controller.view.dryrun.DryRunResult.Placed;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Tries the pods of a group, which get devices together or not at all. */
final class GroupDryRun {
  private final DryRunState dryRunState;
  private final ImmutableList<Workload> workloads;
  private final DryRunReasons reasons;
  private final ImmutableList<PodView> others;
  private final GroupLabel label;
  private final List<Member<GpuRequest>> members = new ArrayList<>();

  /** Members that need no device. */
  private final List<Placed> placed = new ArrayList<>();

  /**
   * A group.
   *
   * @param workloads with equal labels of a group
   * @param others the members in the cluster that the workloads do not replace
   */
  GroupDryRun(
      DryRunState dryRunState,
      ImmutableList<Workload> workloads,
      ImmutableList<PodView> others,
      DryRunReasons reasons) {
    this.dryRunState = dryRunState;
    this.workloads = workloads;
    this.others = others;
    this.reasons = reasons;
    this.label = workloads.get(0).pattern().group().orElseThrow();
  }

  DryRunResult forecast() {
    Optional<Waiting> waiting = missing().or(this::collect).or(this::place);
    return new DryRunResult(
        DryRunResult.GROUP,
        workloads.get(0).namespace(),
        label.name(),
        needed(),
        waiting.isEmpty() ? ImmutableList.copyOf(placed) : ImmutableList.of(),
        waiting,
        0,
        workloads.stream()
            .flatMap(one -> one.podSchedulingConstraints().notConsidered().stream())
            .distinct()
            .collect(toImmutableList()));
  }

  private int size() {
    return Integer.parseInt(label.size());
  }

  /** The members that start together: those that have a node do not count. */
  private int needed() {
    long started = others.stream().filter(pod -> pod.node().isPresent()).count();
    return Math.max(1, size() - (int) started);
  }

  private Waiting waiting(ImmutableList<String> texts, Optional<ReleaseRemedy> remedy) {
    return new Waiting("group " + label.name(), texts, ImmutableMap.of(), remedy);
  }

  private Waiting waiting(String text) {
    return waiting(ImmutableList.of(text), Optional.empty());
  }

  private Optional<Waiting> missing() {
    int present = workloads.stream().mapToInt(Workload::replicas).sum() + others.size();
    Optional<String> other =
        Stream.concat(
                workloads.stream().map(Workload::pattern), others.stream().map(PodView::facts))
            .flatMap(pod -> pod.group().stream())
            .map(GroupLabel::size)
            .filter(size -> !size.equals(label.size()))
            .findFirst();
    if (other.isPresent()) {
      return Optional.of(
          waiting("the size of the group is %s and %s".formatted(label.size(), other.get())));
    }
    return present < size()
        ? Optional.of(
            waiting(
                ("%d of %d members are in the files and the cluster: nothing is allocated"
                        + " before all are there")
                    .formatted(present, size())))
        : Optional.empty();
  }

  /** Generates the claims of the members. Those beyond the size start one by one later. */
  private Optional<Waiting> collect() {
    return Stream.concat(waitingOthers(), workloads.stream().flatMap(GroupDryRun::candidates))
        .limit(needed())
        .map(this::collect)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Stream<Candidate> waitingOthers() {
    return others.stream()
        .filter(pod -> pod.node().isEmpty())
        .map(pod -> new Candidate(Optional.empty(), pod.facts()));
  }

  private static Stream<Candidate> candidates(Workload workload) {
    return IntStream.range(0, workload.replicas())
        .mapToObj(number -> new Candidate(Optional.of(workload), workload.pod(number)));
  }

  /**
   * A pod to try.
   *
   * @param workload absent for a pod of the cluster, whose claims exist
   */
  private record Candidate(Optional<Workload> workload, PodFacts pod) {}

  private Optional<Waiting> collect(Candidate candidate) {
    PodFacts pod = candidate.pod();
    ImmutableList<String> wrong =
        candidate
            .workload()
            .map(workload -> dryRunState.generate(workload, pod))
            .orElse(ImmutableList.of());
    PendingPod<GpuRequest> pending = dryRunState.podClaims().pending(pod);
    ImmutableList<String> obstacles = wrong.isEmpty() ? PodDryRun.obstacles(pending) : wrong;
    if (!obstacles.isEmpty()) {
      return Optional.of(PodDryRun.waiting(pod, obstacles));
    }
    if (pending.mayAllocate()) {
      NodeDemand demand =
          candidate
              .workload()
              .map(Workload::demand)
              .map(dryRunState::judged)
              .orElse(NodeDemand.NONE);
      members.add(new Member<>(pod.ref(), pending.pendingClaims(), demand, tie(pending)));
    } else {
      placed.add(new Placed(pod.ref().name(), tie(pending), ImmutableList.of(), ImmutableMap.of()));
    }
    return Optional.empty();
  }

  private static Optional<String> tie(PendingPod<GpuRequest> pending) {
    return pending.pinning().stream()
        .flatMap(claim -> claim.allocation().stream())
        .flatMap(granted -> granted.ours().stream())
        .flatMap(handle -> handle.node().stream())
        .findFirst();
  }

  private Optional<Waiting> place() {
    ImmutableList<Member<GpuRequest>> all = ImmutableList.copyOf(members);
    if (all.isEmpty()) {
      return Optional.empty();
    }
    GroupTrial trial = new GroupTrial(dryRunState.cluster().ledgers(), all.get(0).pod());
    GroupPlacing placing = trial.place(all, this::closed);
    if (placing instanceof GroupPlacing.Placed done) {
      all.forEach(member -> record(member, done.handles(), trial.owner()));
      return Optional.empty();
    }
    if (placing instanceof GroupPlacing.Limited limited) {
      return Optional.of(
          waiting(limited.why().sentences(NamespaceAudience.READER_OF_ALL), Optional.empty()));
    }
    return Optional.of(
        placing instanceof GroupPlacing.TooFew tooFew
            ? tooFew(all, tooFew.fitting())
            : waiting(GroupPlacing.Undecided.why(all.size()) + ": use fewer kinds of members"));
  }

  private Waiting tooFew(ImmutableList<Member<GpuRequest>> all, int fitting) {
    ImmutableSet<String> closed = closed();
    ImmutableList<NodeLedger> open =
        dryRunState.cluster().ledgers().snapshot().stream()
            .filter(ledger -> !closed.contains(ledger.node()))
            .collect(toImmutableList());
    ReleaseRemedy remedy =
        GroupReleaseSearch.of(
            open, GpuGroupPlacer.request(all), reasons.proposable(), QueryDeadline.ofAGroup());
    return waiting(
        ImmutableList.of(
            "%d of %d members fit at once: nothing is allocated before all do"
                .formatted(fitting, all.size())),
        Optional.of(remedy));
  }

  /** Nodes on which no pod is scheduled. */
  private ImmutableSet<String> closed() {
    return dryRunState.reading().inventories().stream()
        .map(inventory -> inventory.node())
        .filter(node -> !node.ready() || node.cordoned())
        .map(NodeState::name)
        .collect(toImmutableSet());
  }

  private void record(
      Member<GpuRequest> member, ImmutableMap<ClaimUid, ResourceHandle> handles, HoldOwner owner) {
    ImmutableMap.Builder<String, ImmutableList<String>> devices = ImmutableMap.builder();
    Optional<String> node = Optional.empty();
    for (PendingClaim<GpuRequest> one : member.claims()) {
      ResourceHandle handle = requireNonNull(handles.get(one.claim().uid()), "each has a handle");
      dryRunState.granted(one.claim(), handle, owner);
      devices.put(one.claim().ref().name(), DryRunState.devices(handle));
      node = handle.node();
    }
    placed.add(
        new Placed(
            member.pod().name(),
            node,
            node.stream().collect(toImmutableList()),
            devices.buildKeepingLast()));
  }
}
