package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of a search: claims and the node's GPUs.
 *
 * @param claims that hold nothing of the node yet, by name: the first gets the better alternative
 */
public record SearchProblem(
    Inventory inventory,
    ImmutableList<GpuCandidate> sites,
    ImmutableList<IndexedClaim> claims,
    CandidateIndex candidateIndex) {
  public static SearchProblem of(NodeLedger ledger, ImmutableList<ClaimRequest> claims) {
    ImmutableList<GpuCandidate> candidates = GpuCandidate.of(ledger, claims);
    return new SearchProblem(
        ledger.inventory(),
        candidates,
        numbered(claims),
        new CandidateIndex(ledger.inventory(), candidates));
  }

  private static ImmutableList<IndexedClaim> numbered(List<ClaimRequest> claims) {
    ImmutableList<ClaimRequest> sorted = ImmutableList.sortedCopyOf(ClaimRequest.BY_NAME, claims);
    ImmutableMap<ClaimUid, ClaimRequest> byUid = byUid(sorted);
    ImmutableSet<ClaimUid> parents =
        sorted.stream().flatMap(claim -> parent(claim).stream()).collect(toImmutableSet());
    ImmutableList.Builder<IndexedClaim> numbered = ImmutableList.builder();
    for (int i = 0; i < sorted.size(); i++) {
      ClaimRequest claim = sorted.get(i);
      numbered.add(
          new IndexedClaim(
              i, claim, parents.contains(claim.uid()), family(claim, byUid).size() - 1));
    }
    return numbered.build();
  }

  private static ImmutableMap<ClaimUid, ClaimRequest> byUid(List<ClaimRequest> claims) {
    return claims.stream()
        .collect(toImmutableMap(ClaimRequest::uid, claim -> claim, (first, second) -> first));
  }

  private static Optional<ClaimUid> parent(ClaimRequest claim) {
    return claim.inside().map(Parent::uid);
  }

  private static ImmutableList<ClaimRequest> family(
      ClaimRequest claim, ImmutableMap<ClaimUid, ClaimRequest> all) {
    if (claim.inside().isEmpty()) {
      return ImmutableList.of(claim);
    }
    Map<ClaimUid, ClaimRequest> family = new LinkedHashMap<>();
    Optional<ClaimRequest> next = Optional.of(claim);
    // Claims that are inside each other cannot be served, and must not make this loop endless.
    while (next.isPresent() && family.putIfAbsent(next.get().uid(), next.get()) == null) {
      next = next.flatMap(SearchProblem::parent).map(all::get);
    }
    return ImmutableList.copyOf(family.values());
  }

  /** Whether the node has no unused existing MIG device. */
  boolean noneExists() {
    for (GpuCandidate candidate : sites) {
      if (!candidate.existing().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The same problem on a node without holders. */
  public SearchProblem emptied() {
    return new SearchProblem(inventory, GpuCandidate.emptied(sites), claims, candidateIndex);
  }

  /** The same problem for one of the claims and its parents. */
  public SearchProblem alone(ClaimRequest claim) {
    return new SearchProblem(inventory, sites, numbered(family(claim)), candidateIndex);
  }

  /** A claim and its parents, the nearest first. */
  public ImmutableList<ClaimRequest> family(ClaimRequest claim) {
    return family(claim, byUid(requests()));
  }

  /** The same problem with other sub-requests of one claim. */
  public SearchProblem with(ClaimRequest changed) {
    List<ClaimRequest> all = new ArrayList<>();
    for (ClaimRequest claim : requests()) {
      all.add(claim.uid().equals(changed.uid()) ? changed : claim);
    }
    return new SearchProblem(inventory, sites, numbered(all), candidateIndex);
  }

  /** The entry of this claim. */
  public IndexedClaim asking(ClaimRequest claim) {
    return claims.stream()
        .filter(one -> one.request().uid().equals(claim.uid()))
        .findFirst()
        .orElseThrow();
  }

  private ImmutableList<ClaimRequest> requests() {
    ImmutableList.Builder<ClaimRequest> requests = ImmutableList.builder();
    for (IndexedClaim claim : claims) {
      requests.add(claim.request());
    }
    return requests.build();
  }
}
