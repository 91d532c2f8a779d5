package io.gpudra.controller.dashboard;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ObjectLookup;
import io.gpudra.controller.view.explain.SchedulingSentences;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.stream.Collectors;

/** The reasons why pods of one snapshot wait, in the words of the controller's events. */
final class WaitReasonText {
  private final PodClaims<GpuRequest> claims;
  private final ImmutableMap<PodRef, ContextFacts> contexts;
  private final ImmutableSet<String> nodes;
  private final UserView userView;

  WaitReasonText(UserView userView) {
    this.claims = new ObjectLookup(userView).podClaims();
    this.contexts =
        userView.objects().contexts().stream()
            .collect(toImmutableMap(ContextFacts::pod, context -> context, (one, other) -> other));
    this.nodes =
        userView.cluster().ledgers().snapshot().stream()
            .map(NodeLedger::node)
            .collect(toImmutableSet());
    this.userView = userView;
  }

  /** Whether the pod waits for devices of this driver, or will do so once its errors are fixed. */
  boolean isForUs(PodView pod) {
    return !pod.facts().claims().isEmpty() && !claims.pending(pod.facts()).nothingOfOurs();
  }

  /** The reason, one or two sentences. */
  String why(PodView pod) {
    PendingPod<GpuRequest> pending = claims.pending(pod.facts());
    if (!pending.mayAllocate()) {
      return pending.blockers().stream()
          .filter(PodBlocker::isReported)
          .map(PodBlocker::reason)
          .filter(userView::knows)
          .map(reason -> reason.text(NamespaceAudience.READER_OF_ALL))
          .collect(Collectors.joining("; "));
    }
    if (!userView.mayReadInventories()) {
      return "";
    }
    ImmutableSet<String> offered = offered(pod);
    NodeSuitability suitability = claims.suitability(pending, offered);
    return suitability.refusingNodes().containsAll(offered)
        ? refused(pending, offered, suitability)
        : fits(pod);
  }

  /** Devices are not what the pod waits for if its scheduler finds no node, or has not tried. */
  private static String fits(PodView pod) {
    String other =
        new SchedulingSentences(pod.scheduling()).lines().collect(Collectors.joining("; "));
    return other.isEmpty() ? "Fits; waiting for the allocation." : "Fits; " + other;
  }

  /** The nodes that the scheduler considers; all nodes before it has published any. */
  private ImmutableSet<String> offered(PodView pod) {
    return Optional.ofNullable(contexts.get(pod.facts().ref()))
        .map(ContextFacts::offeredNodes)
        .filter(some -> !some.isEmpty())
        .orElse(nodes);
  }

  private static String refused(
      PendingPod<GpuRequest> pending, ImmutableSet<String> offered, NodeSuitability suitability) {
    return pending.pendingClaims().stream()
        .map(claim -> suitability.of(claim.claim().uid()))
        .filter(refusals -> !refusals.isEmpty())
        .map(refusals -> sentence(refusals, offered.size() - refusals.size()))
        .distinct()
        .collect(Collectors.joining("; "));
  }

  private static String sentence(ImmutableMap<String, UnsuitableReason> refusals, int fitting) {
    return UnschedulableSummary.of(refusals, fitting).text(NamespaceAudience.READER_OF_ALL);
  }
}
