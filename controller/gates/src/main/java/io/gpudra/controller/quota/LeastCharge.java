package io.gpudra.controller.quota;

import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;

/** The least that a request counts on any node. */
final class LeastCharge {
  private static final QuotaCharge WHOLE = new QuotaCharge(QuotaCharge.GPU, 0);
  private static final QuotaCharge PART = new QuotaCharge(1, 0);

  private LeastCharge() {}

  static QuotaCharge of(ClaimRequest claim) {
    return claim.alternatives().stream()
        .map(one -> of(claim, one))
        .reduce(QuotaCharge::least)
        .orElseThrow();
  }

  static QuotaCharge of(ClaimRequest claim, RequestAlternative one) {
    return claim.inside().isPresent()
        ? QuotaCharge.NONE
        : one.subRequests().stream()
            .map(LeastCharge::of)
            .reduce(QuotaCharge.NONE, QuotaCharge::plus);
  }

  private static QuotaCharge of(DeviceSubRequest some) {
    return of(some.kind()).times(some.all() ? 1 : some.count());
  }

  private static QuotaCharge of(DeviceKind kind) {
    if (kind instanceof DeviceKind.Share share) {
      return new QuotaCharge(Math.max(1, share.millicores()), share.memoryBytes());
    }
    if (kind instanceof DeviceKind.MonitorAccess) {
      return QuotaCharge.NONE;
    }
    return kind instanceof DeviceKind.Whole ? WHOLE : PART;
  }
}
