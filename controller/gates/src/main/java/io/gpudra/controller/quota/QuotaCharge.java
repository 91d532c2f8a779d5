package io.gpudra.controller.quota;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;

/**
 * What devices count.
 *
 * @param thousandths of a GPU
 * @param bytes of memory
 * @param unsized the number of GPUs whose memory is unknown, and not in {@code bytes}
 */
public record QuotaCharge(long thousandths, long bytes, long unsized) {
  static final long GPU = 1_000;
  static final QuotaCharge NONE = new QuotaCharge(0, 0);

  /** A GPU that no inventory lists. */
  static final QuotaCharge UNKNOWN = new QuotaCharge(GPU, 0, 1);

  /** Of devices that are known. */
  public QuotaCharge(long thousandths, long bytes) {
    this(thousandths, bytes, 0);
  }

  /** The charge of the claim on a node. */
  public static QuotaCharge of(NodeLedger ledger, ClaimUid claim) {
    return DeviceCharges.of(ledger, claim).orElse(NONE);
  }

  QuotaCharge plus(QuotaCharge other) {
    return new QuotaCharge(
        thousandths + other.thousandths, bytes + other.bytes, unsized + other.unsized);
  }

  QuotaCharge minus(QuotaCharge other) {
    return plus(other.times(-1));
  }

  QuotaCharge times(long count) {
    return new QuotaCharge(count * thousandths, count * bytes, count * unsized);
  }

  boolean isPositive() {
    return thousandths > 0 || bytes > 0 || unsized > 0;
  }

  /** A lower bound of both. */
  QuotaCharge least(QuotaCharge other) {
    return new QuotaCharge(Math.min(thousandths, other.thousandths), Math.min(bytes, other.bytes));
  }

  /** The charge with unknown GPUs as large as the largest. */
  QuotaCharge sized(long largestBytes) {
    return new QuotaCharge(thousandths, bytes + unsized * largestBytes);
  }
}
