package io.gpudra.controller.quota;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.CommitGuard.Before;
import io.gpudra.controller.allocation.CommitGuard.Limit;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The alternatives of a request that its quotas allow, as far as it is known without a search. Each
 * claim is looked at once, however many the pod has.
 */
final class PossibleRequest {
  private final PodRequest request;
  private final NamespaceCharges charges;
  private final long largestBytes;

  /** Without the claims that are counted already. */
  private final Map<ClaimUid, OpenClaim> open = new HashMap<>();

  /** The least that all of them need, by class. */
  private final Map<Optional<String>, QuotaCharge> least = new HashMap<>();

  private record OpenClaim(Optional<String> className, QuotaCharge least) {}

  PossibleRequest(
      PodRequest request,
      NamespaceCharges charges,
      BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf,
      long largestBytes) {
    this.request = request;
    this.charges = charges;
    this.largestBytes = largestBytes;
    for (ClaimRequest claim : request.claims()) {
      if (!charges.holds(claim.uid())) {
        OpenClaim one =
            new OpenClaim(classOf.apply(claim.ref(), claim.uid()), LeastCharge.of(claim));
        open.put(claim.uid(), one);
        least.merge(one.className(), one.least(), QuotaCharge::plus);
      }
    }
  }

  Before before() {
    ImmutableList.Builder<ClaimRequest> possible = ImmutableList.builder();
    for (ClaimRequest claim : request.claims()) {
      ImmutableList.Builder<RequestAlternative> allowed = ImmutableList.builder();
      Optional<Limit> limit = limit(claim, allowed);
      ImmutableList<RequestAlternative> left = allowed.build();
      if (left.isEmpty() && limit.isPresent()) {
        return new Before.Limited(limit.get());
      }
      possible.add(claim.with(left));
    }
    return new Before.GoOn(new PodRequest(possible.build(), request.rank()));
  }

  /**
   * The limit of the last alternative that is not allowed. Each is asked once: what is used may
   * change at any moment.
   */
  private Optional<Limit> limit(
      ClaimRequest claim, ImmutableList.Builder<RequestAlternative> allowed) {
    Optional<Limit> last = Optional.empty();
    for (RequestAlternative one : claim.alternatives()) {
      Optional<Limit> limit = charges.excess(with(claim, one), largestBytes);
      if (limit.isPresent()) {
        last = limit;
      } else {
        allowed.add(one);
      }
    }
    return last;
  }

  /** What this alternative needs with the least of the other claims. */
  private Map<Optional<String>, QuotaCharge> with(ClaimRequest claim, RequestAlternative one) {
    OpenClaim known = open.get(claim.uid());
    if (known == null) {
      return least;
    }
    Map<Optional<String>, QuotaCharge> more = new HashMap<>(least);
    more.merge(
        known.className(), LeastCharge.of(claim, one).minus(known.least()), QuotaCharge::plus);
    return more;
  }
}
