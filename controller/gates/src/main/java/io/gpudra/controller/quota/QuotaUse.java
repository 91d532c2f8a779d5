package io.gpudra.controller.quota;

/** What claims use of a quota now, those included whose allocation is being written. */
public record QuotaUse(QuotaLimit limit, QuotaCharge used) {

  /** Whether more is held than allowed, as after a quota was lowered. */
  public boolean exceeded() {
    return !limit.allows(/* used= */ QuotaCharge.NONE, /* more= */ used);
  }
}
