package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.List;
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
    ImmutableList.Builder<IndexedClaim> numbered = ImmutableList.builder();
    for (int i = 0; i < sorted.size(); i++) {
      numbered.add(asking(i, sorted));
    }
    return numbered.build();
  }

  private static IndexedClaim asking(int number, ImmutableList<ClaimRequest> all) {
    ClaimRequest claim = all.get(number);
    boolean parent = false;
    for (ClaimRequest other : all) {
      parent |= other.inside().isPresent() && other.inside().get().uid().equals(claim.uid());
    }
    return new IndexedClaim(number, claim, parent, family(claim, all).size() - 1);
  }

  private static Optional<ClaimUid> parent(ClaimRequest claim) {
    return claim.inside().map(Parent::uid);
  }

  private static ImmutableList<ClaimRequest> family(ClaimRequest claim, List<ClaimRequest> all) {
    if (claim.inside().isEmpty()) {
      return ImmutableList.of(claim);
    }
    ImmutableList.Builder<ClaimRequest> family = ImmutableList.builder();
    Optional<ClaimRequest> next = Optional.of(claim);
    // Claims that are inside each other cannot be served, and must not make this loop endless.
    for (int i = 0; i < all.size() && next.isPresent(); i++) {
      family.add(next.get());
      next = next.flatMap(SearchProblem::parent).flatMap(uid -> find(uid, all));
    }
    return family.build();
  }

  private static Optional<ClaimRequest> find(ClaimUid uid, List<ClaimRequest> all) {
    return all.stream().filter(claim -> claim.uid().equals(uid)).findFirst();
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
    return family(claim, requests());
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
