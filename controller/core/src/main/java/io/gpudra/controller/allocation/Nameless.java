package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement.DoesNotFit;
import io.gpudra.controller.allocation.refusal.Obstacles;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a pod asks, whoever it is: the same for all pods of one deployment, which a node that knows
 * none of their claims answers alike. Compared once for each pod and then for each node, so the
 * hash is kept and the same object is soon found equal.
 */
final class Nameless {
  private final PodRequest pod;
  private final int hash;
  private final boolean seesLooksOnly;

  private Nameless(PodRequest pod) {
    this.pod = pod;
    this.hash = pod.hashCode();
    this.seesLooksOnly = pod.claims().stream().allMatch(Nameless::seesLooksOnly);
  }

  /** The names are left in it. */
  static Nameless exactly(PodRequest request) {
    return new Nameless(request);
  }

  /** A claim that is carved out of another one asks for that one by name. */
  static Nameless of(PodRequest request) {
    return request.claims().stream().anyMatch(claim -> claim.inside().isPresent())
        ? exactly(request)
        : new Nameless(anonymous(byName(request)));
  }

  /** As they are searched: who comes first has the better alternative. */
  private static ImmutableList<ClaimRequest> byName(PodRequest request) {
    return ImmutableList.sortedCopyOf(ClaimRequest.BY_NAME, request.claims());
  }

  private static PodRequest anonymous(ImmutableList<ClaimRequest> claims) {
    return new PodRequest(
        IntStream.range(0, claims.size())
            .mapToObj(i -> claims.get(i).anonymous(i))
            .collect(ImmutableList.toImmutableList()));
  }

  /** Whether a node would answer the pod otherwise because of who it is. */
  static boolean isKnown(PodRequest request, NodeLedger ledger) {
    // Asked for each pod and node: a loop leaves nothing behind.
    for (ClaimRequest claim : request.claims()) {
      if (Obstacles.mayKnow(ledger, claim) || ledger.claims().contains(claim.uid())) {
        return true;
      }
    }
    return false;
  }

  /** Whether all nodes that look alike and do not know it answer it alike. */
  boolean seesLooksOnly() {
    return seesLooksOnly;
  }

  private static boolean seesLooksOnly(ClaimRequest claim) {
    return claim.inside().isEmpty()
        && claim.alternatives().stream()
            .flatMap(way -> way.wishes().stream())
            .noneMatch(wish -> wish.condition().tellsNodesApart());
  }

  /** What is asked. */
  PodRequest pod() {
    return pod;
  }

  /** The answer of a node to one that asks this, in its own words. */
  DoesNotFit named(DoesNotFit answer, PodRequest asking, NodeLedger ledger) {
    if (pod.equals(asking)) {
      return answer.on(ledger);
    }
    ImmutableList<ClaimRequest> claims = byName(asking);
    ImmutableList<ClaimRef> all = asking.refs();
    ImmutableMap.Builder<ClaimUid, Reason> reasons = ImmutableMap.builder();
    for (int i = 0; i < claims.size(); i++) {
      Reason reason = answer.reasons().get(pod.claims().get(i).uid());
      if (reason != null) {
        reasons.put(claims.get(i).uid(), named(reason, claims.get(i), all, ledger));
      }
    }
    return new DoesNotFit(reasons.buildOrThrow());
  }

  private static Reason named(
      Reason reason, ClaimRequest claim, ImmutableList<ClaimRef> all, NodeLedger ledger) {
    return reason instanceof Refusal.NotTogether
        ? new Refusal.NotTogether(claim.ref(), all)
        : DoesNotFit.on(ledger, reason);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Nameless nameless
            && hash == nameless.hash
            && pod.equals(nameless.pod));
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
