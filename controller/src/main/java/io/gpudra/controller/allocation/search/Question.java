package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Parent;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * What is searched for, and where.
 *
 * @param claims that hold nothing of the node yet, by name: who comes first has the better
 *     alternative
 */
public record Question(
    Inventory inventory, ImmutableList<Site> sites, ImmutableList<Asking> claims) {
  public static Question of(NodeLedger ledger, ImmutableList<ClaimRequest> claims) {
    return new Question(ledger.inventory(), Site.of(ledger, claims), numbered(claims));
  }

  private static ImmutableList<Asking> numbered(List<ClaimRequest> claims) {
    ImmutableList<ClaimRequest> sorted = ImmutableList.sortedCopyOf(ClaimRequest.BY_NAME, claims);
    return IntStream.range(0, sorted.size())
        .mapToObj(i -> asking(i, sorted))
        .collect(toImmutableList());
  }

  private static Asking asking(int number, ImmutableList<ClaimRequest> all) {
    ClaimRequest claim = all.get(number);
    boolean parent = all.stream().anyMatch(other -> parent(other).equals(Optional.of(claim.uid())));
    return new Asking(number, claim, parent, family(claim, all).size() - 1);
  }

  private static Optional<ClaimUid> parent(ClaimRequest claim) {
    return claim.inside().map(Parent::uid);
  }

  private static ImmutableList<ClaimRequest> family(ClaimRequest claim, List<ClaimRequest> all) {
    ImmutableList.Builder<ClaimRequest> family = ImmutableList.builder();
    Optional<ClaimRequest> next = Optional.of(claim);
    // Claims that are inside each other are inside nothing: nobody serves them, nobody hangs.
    for (int i = 0; i < all.size() && next.isPresent(); i++) {
      family.add(next.get());
      next = next.flatMap(Question::parent).flatMap(uid -> find(uid, all));
    }
    return family.build();
  }

  private static Optional<ClaimRequest> find(ClaimUid uid, List<ClaimRequest> all) {
    return all.stream().filter(claim -> claim.uid().equals(uid)).findFirst();
  }

  /** Whether it could be granted if nobody held anything. */
  public Question emptied() {
    return new Question(
        inventory, sites.stream().map(Site::emptied).collect(toImmutableList()), claims);
  }

  /** The same for one of the claims alone, with what it cannot be without. */
  public Question alone(ClaimRequest claim) {
    return new Question(inventory, sites, numbered(family(claim)));
  }

  /** A claim and those that it is carved out of, the nearest first. */
  public ImmutableList<ClaimRequest> family(ClaimRequest claim) {
    return family(claim, requests());
  }

  /** The same with other wishes of one of the claims. */
  public Question with(ClaimRequest changed) {
    Predicate<ClaimRequest> other = claim -> !claim.uid().equals(changed.uid());
    return new Question(
        inventory,
        sites,
        numbered(
            ImmutableList.<ClaimRequest>builder()
                .addAll(requests().stream().filter(other).toList())
                .add(changed)
                .build()));
  }

  /** What this claim is asked as. */
  public Asking asking(ClaimRequest claim) {
    return claims.stream()
        .filter(one -> one.request().uid().equals(claim.uid()))
        .findFirst()
        .orElseThrow();
  }

  private ImmutableList<ClaimRequest> requests() {
    return claims.stream().map(Asking::request).collect(toImmutableList());
  }
}
