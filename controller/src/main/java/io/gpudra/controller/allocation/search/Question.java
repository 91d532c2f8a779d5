package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.crds.model.Inventory;
import java.util.Comparator;

/**
 * What is searched for, and where.
 *
 * @param claims that hold nothing of the node yet, by name: who comes first has the better
 *     alternative
 */
record Question(
    Inventory inventory, ImmutableList<Site> sites, ImmutableList<ClaimRequest> claims) {
  private static final Comparator<ClaimRequest> BY_NAME =
      Comparator.comparing((ClaimRequest claim) -> claim.ref().namespace())
          .thenComparing(claim -> claim.ref().name())
          .thenComparing(ClaimRequest::uid);

  static Question of(NodeLedger ledger, ImmutableList<ClaimRequest> claims) {
    return new Question(
        ledger.inventory(), Site.of(ledger), ImmutableList.sortedCopyOf(BY_NAME, claims));
  }

  /** Whether it could be granted if nobody held anything. */
  Question emptied() {
    return new Question(
        inventory, sites.stream().map(Site::emptied).collect(toImmutableList()), claims);
  }

  /** The same for one of the claims alone. */
  Question alone(ClaimRequest claim) {
    return new Question(inventory, sites, ImmutableList.of(claim));
  }
}
