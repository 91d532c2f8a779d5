package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

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
public record Question(
    Inventory inventory, ImmutableList<Site> sites, ImmutableList<Asking> claims, Offers offers) {
  public static Question of(NodeLedger ledger, ImmutableList<ClaimRequest> claims) {
    ImmutableList<Site> sites = Site.of(ledger, claims);
    return new Question(
        ledger.inventory(), sites, numbered(claims), new Offers(ledger.inventory(), sites));
  }

  private static ImmutableList<Asking> numbered(List<ClaimRequest> claims) {
    ImmutableList<ClaimRequest> sorted = ImmutableList.sortedCopyOf(ClaimRequest.BY_NAME, claims);
    ImmutableList.Builder<Asking> numbered = ImmutableList.builder();
    for (int i = 0; i < sorted.size(); i++) {
      numbered.add(asking(i, sorted));
    }
    return numbered.build();
  }

  private static Asking asking(int number, ImmutableList<ClaimRequest> all) {
    ClaimRequest claim = all.get(number);
    boolean parent = false;
    for (ClaimRequest other : all) {
      parent |= other.inside().isPresent() && other.inside().get().uid().equals(claim.uid());
    }
    return new Asking(number, claim, parent, family(claim, all).size() - 1);
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
      next = next.flatMap(Question::parent).flatMap(uid -> find(uid, all));
    }
    return family.build();
  }

  private static Optional<ClaimRequest> find(ClaimUid uid, List<ClaimRequest> all) {
    return all.stream().filter(claim -> claim.uid().equals(uid)).findFirst();
  }

  /** Whether the node has no unused existing MIG device. */
  boolean noneExists() {
    for (Site site : sites) {
      if (!site.existing().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The same question on a node without holders. */
  public Question emptied() {
    return new Question(
        inventory, sites.stream().map(Site::emptied).collect(toImmutableList()), claims, offers);
  }

  /** The same question for one of the claims and those that it is carved out of. */
  public Question alone(ClaimRequest claim) {
    return new Question(inventory, sites, numbered(family(claim)), offers);
  }

  /** A claim and those that it is carved out of, the nearest first. */
  public ImmutableList<ClaimRequest> family(ClaimRequest claim) {
    return family(claim, requests());
  }

  /** The same question with other wishes of one claim. */
  public Question with(ClaimRequest changed) {
    List<ClaimRequest> all = new ArrayList<>();
    for (ClaimRequest claim : requests()) {
      all.add(claim.uid().equals(changed.uid()) ? changed : claim);
    }
    return new Question(inventory, sites, numbered(all), offers);
  }

  /** The entry of this claim. */
  public Asking asking(ClaimRequest claim) {
    return claims.stream()
        .filter(one -> one.request().uid().equals(claim.uid()))
        .findFirst()
        .orElseThrow();
  }

  private ImmutableList<ClaimRequest> requests() {
    ImmutableList.Builder<ClaimRequest> requests = ImmutableList.builder();
    for (Asking claim : claims) {
      requests.add(claim.request());
    }
    return requests.build();
  }
}
