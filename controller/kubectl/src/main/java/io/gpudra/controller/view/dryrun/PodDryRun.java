package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.dryrun.DryRunResult.Placed;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tries the pods of one workload, one after the other, until one does not fit. All pods are equal,
 * and each changes only its own node, so a node that did not fit is not tried again.
 */
final class PodDryRun {
  /** The API server's maximum of {@code status.reservedFor}. */
  private static final int MAX_USERS = 32;

  private final DryRunState dryRunState;
  private final Workload workload;
  private final DryRunReasons reasons;
  private final QueryDeadline deadline;
  private final List<Placed> placed = new ArrayList<>();

  /** Nodes that may fit one more pod with as many pending claims as the last one. */
  private ImmutableList<String> open = ImmutableList.of();

  private int waitingClaims = -1;

  /** The limit that kept the last pod from its devices. */
  private Optional<UnsuitableReason> limit = Optional.empty();

  PodDryRun(
      DryRunState dryRunState, Workload workload, DryRunReasons reasons, QueryDeadline deadline) {
    this.dryRunState = dryRunState;
    this.workload = workload;
    this.reasons = reasons;
    this.deadline = deadline;
  }

  DryRunResult forecast() {
    Optional<Waiting> waiting = Optional.empty();
    int tried = 0;
    while (tried < workload.replicas() && waiting.isEmpty() && !deadline.isOver()) {
      waiting = next(workload.pod(tried));
      tried++;
    }
    return new DryRunResult(
        workload.kind(),
        workload.namespace(),
        workload.name(),
        workload.replicas(),
        ImmutableList.copyOf(placed),
        waiting,
        waiting.isEmpty() ? workload.replicas() - tried : 0,
        workload.podSchedulingConstraints().notConsidered());
  }

  private Optional<Waiting> next(PodFacts pod) {
    ImmutableList<String> wrong = dryRunState.generate(workload, pod);
    if (!wrong.isEmpty()) {
      return Optional.of(waiting(pod, wrong));
    }
    PendingPod<GpuRequest> pending = dryRunState.podClaims().pending(pod);
    ImmutableList<String> obstacles = obstacles(pending);
    return obstacles.isEmpty() ? place(pod, pending) : Optional.of(waiting(pod, obstacles));
  }

  /** The reasons why the pod gets no devices even if all are free. */
  static ImmutableList<String> obstacles(PendingPod<GpuRequest> pending) {
    return Stream.concat(pending.blockers().stream().flatMap(PodDryRun::texts), overused(pending))
        .collect(ImmutableList.toImmutableList());
  }

  static Waiting waiting(PodFacts pod, ImmutableList<String> texts) {
    return new Waiting(pod.ref().name(), texts, ImmutableMap.of(), Optional.empty());
  }

  private static Stream<String> texts(PodBlocker podBlocker) {
    String claim =
        podBlocker
            .claim()
            .map(facts -> facts.ref().toString())
            .orElseGet(() -> "\"" + podBlocker.podClaim() + "\"");
    return podBlocker.reason().sentences(NamespaceAudience.READER_OF_ALL).stream()
        .map(text -> "claim %s: %s".formatted(claim, text));
  }

  /** Claims that kube-scheduler cannot reserve for another pod. */
  private static Stream<String> overused(PendingPod<GpuRequest> pending) {
    return pending.pinning().stream().flatMap(claim -> overused(claim).stream());
  }

  private static Optional<String> overused(ClaimFacts claim) {
    boolean shareable =
        claim.allocation().flatMap(Granted::ours).filter(handle -> handle.shareable()).isPresent();
    if (!shareable && !claim.reservedFor().isEmpty()) {
      return Optional.of("claim " + claim.ref() + ": another pod uses it, and it is not shareable");
    }
    return claim.reservedFor().size() >= MAX_USERS
        ? Optional.of("claim %s: %d pods use it, more cannot".formatted(claim.ref(), MAX_USERS))
        : Optional.empty();
  }

  private Optional<Waiting> place(PodFacts pod, PendingPod<GpuRequest> pending) {
    if (pending.nothingOfOurs() && pending.pinning().isEmpty()) {
      placed.add(
          new Placed(pod.ref().name(), Optional.empty(), ImmutableList.of(), ImmutableMap.of()));
      return Optional.empty();
    }
    SchedulableNodes nodes =
        SchedulableNodes.of(
            dryRunState.reading(),
            new NodeAdmission(
                workload.podSchedulingConstraints(),
                pending,
                dryRunState.judged(workload.demand())));
    Optional<Placed> done = placed(pod, pending, suitable(pending, nodes));
    if (done.isEmpty()) {
      return Optional.of(
          limit
              .map(why -> waiting(pod, why.sentences(NamespaceAudience.READER_OF_ALL)))
              .orElseGet(() -> reasons.of(pod.ref().name(), pending, nodes)));
    }
    placed.add(done.get());
    pod.claimRefs().forEach(claim -> dryRunState.reserve(claim, pod.ref().uid()));
    return Optional.empty();
  }

  private ImmutableList<String> suitable(PendingPod<GpuRequest> pending, SchedulableNodes nodes) {
    if (pending.claims().size() != waitingClaims) {
      waitingClaims = pending.claims().size();
      ImmutableSet<String> refusing =
          dryRunState.podClaims().suitability(pending, nodes.considered()).refusingNodes();
      open =
          nodes.considered().stream()
              .filter(node -> !refusing.contains(node))
              .collect(ImmutableList.toImmutableList());
    }
    return open.stream()
        .filter(nodes.considered()::contains)
        .collect(ImmutableList.toImmutableList());
  }

  private Optional<Placed> placed(
      PodFacts pod, PendingPod<GpuRequest> pending, ImmutableList<String> suitable) {
    limit = Optional.empty();
    for (int i = 0; i < suitable.size() && limit.isEmpty(); i++) {
      Optional<ImmutableMap<String, ImmutableList<String>>> devices =
          devices(pending, suitable.get(i));
      if (devices.isPresent()) {
        ImmutableList<String> rest = suitable.subList(i, suitable.size());
        open = rest;
        return Optional.of(
            new Placed(
                pod.ref().name(), Optional.of(suitable.get(i)), reported(rest), devices.get()));
      }
    }
    return Optional.empty();
  }

  /** All suitable nodes for the first pod, only one for the others. */
  private ImmutableList<String> reported(ImmutableList<String> suitable) {
    return placed.isEmpty() ? suitable : suitable.subList(0, 1);
  }

  private Optional<ImmutableMap<String, ImmutableList<String>>> devices(
      PendingPod<GpuRequest> pending, String node) {
    if (pending.claims().isEmpty()) {
      return Optional.of(ImmutableMap.of());
    }
    Allocation allocation =
        dryRunState.allocate(pending.pendingClaims(), new NodeChoice.OneNode(node));
    limit =
        allocation instanceof Allocation.Limited limited
            ? Optional.of(limited.why())
            : Optional.empty();
    return allocation instanceof Allocation.Held held
        ? Optional.of(dryRunState.settled(pending.pendingClaims(), held))
        : Optional.empty();
  }
}
