package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Explains why a pod or claim waits and which releases would help, in the words of the driver's
 * events.
 *
 * @param proposable whether a claim may be proposed for release
 * @param deadline of all searches for releases
 */
record DryRunReasons(
    ClusterSnapshot cluster, Predicate<BlockingClaim> proposable, QueryDeadline deadline) {

  Waiting of(String name, PendingPod<GpuRequest> pending, SchedulableNodes nodes) {
    ImmutableList<PendingClaim<GpuRequest>> claims = pending.pendingClaims();
    NodeSuitability why =
        claims.isEmpty() || nodes.considered().isEmpty()
            ? new NodeSuitability(ImmutableMap.of())
            : cluster.driver().suitability(claims, nodes.considered());
    return of(name, claims, why, nodes);
  }

  Waiting of(
      String name,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      NodeSuitability why,
      SchedulableNodes nodes) {
    int considered = nodes.considered().size();
    ImmutableList<String> texts =
        claims.stream()
            .filter(claim -> !why.of(claim.claim().uid()).isEmpty())
            .map(claim -> text(claim, why.of(claim.claim().uid()), considered))
            .collect(ImmutableList.toImmutableList());
    return new Waiting(
        name,
        texts.isEmpty() ? ImmutableList.of("no node is considered") : texts,
        byNode(claims, why, nodes),
        remedy(claims, nodes.considered()));
  }

  private String text(
      PendingClaim<GpuRequest> claim,
      ImmutableMap<String, UnsuitableReason> refusals,
      int considered) {
    int fitting = Math.max(0, considered - refusals.size());
    return "claim %s: %s"
        .formatted(
            claim.claim().ref(),
            UnschedulableSummary.of(refusals, fitting)
                .text(
                    NamespaceAudience.READER_OF_ALL,
                    () -> cluster.driver().unsatisfiable(claim.resourceClass(), claim.claim())));
  }

  private static String text(UnsuitableReason reason) {
    return reason.text(NamespaceAudience.READER_OF_ALL);
  }

  private static ImmutableMap<String, String> byNode(
      ImmutableList<PendingClaim<GpuRequest>> claims, NodeSuitability why, SchedulableNodes nodes) {
    ImmutableSortedMap.Builder<String, String> all = ImmutableSortedMap.naturalOrder();
    nodes.excluded().forEach((node, reason) -> all.put(node, text(reason)));
    for (String node : why.refusingNodes()) {
      if (!nodes.excluded().containsKey(node)) {
        all.put(node, reasons(node, claims, why));
      }
    }
    return all.buildOrThrow();
  }

  private static String reasons(
      String node, ImmutableList<PendingClaim<GpuRequest>> claims, NodeSuitability why) {
    return claims.stream()
        .flatMap(
            claim ->
                Optional.ofNullable(why.of(claim.claim().uid()).get(node))
                    .map(
                        reason ->
                            (claims.size() == 1 ? "" : claim.claim().ref().name() + ": ")
                                + text(reason))
                    .stream())
        .collect(Collectors.joining("; "));
  }

  private Optional<ReleaseRemedy> remedy(
      ImmutableList<PendingClaim<GpuRequest>> claims, ImmutableCollection<String> nodes) {
    return claims.isEmpty() || nodes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            ReleaseSearch.of(cluster, claims, ImmutableSet.copyOf(nodes), proposable, deadline));
  }
}
