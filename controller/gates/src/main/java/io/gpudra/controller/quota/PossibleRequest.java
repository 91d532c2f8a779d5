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

/** The alternatives of a request that its quotas allow, as far as it is known without a search. */
record PossibleRequest(
    PodRequest request,
    NamespaceCharges charges,
    BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf,
    long largestBytes) {

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
      Optional<Limit> limit = limit(claim, one);
      if (limit.isPresent()) {
        last = limit;
      } else {
        allowed.add(one);
      }
    }
    return last;
  }

  /** The limit that this alternative exceeds even with the least that the other claims need. */
  private Optional<Limit> limit(ClaimRequest claim, RequestAlternative one) {
    Map<Optional<String>, QuotaCharge> more = new HashMap<>();
    for (ClaimRequest other : request.claims()) {
      QuotaCharge least = other.equals(claim) ? LeastCharge.of(claim, one) : LeastCharge.of(other);
      if (!charges.holds(other.uid())) {
        more.merge(classOf.apply(other.ref(), other.uid()), least, QuotaCharge::plus);
      }
    }
    return charges.excess(more, largestBytes);
  }
}
