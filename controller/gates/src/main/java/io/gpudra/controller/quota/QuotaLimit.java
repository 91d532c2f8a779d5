package io.gpudra.controller.quota;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The limits of one quota.
 *
 * @param name of the quota in its namespace
 * @param classes whose claims count; empty for all
 * @param thousandths of GPUs that claims may hold; absent for any
 * @param bytes of memory that claims may hold; absent for any
 */
public record QuotaLimit(
    String name,
    String uid,
    ImmutableSet<String> classes,
    OptionalLong thousandths,
    OptionalLong bytes) {
  /** The quotas of a namespace; one with more gets nothing more. */
  public static final int MAX_QUOTAS = 32;

  /** The quotas of a namespace that are told apart: one more than count. */
  public static final int MAX_LISTED = MAX_QUOTAS + 1;

  /** The limits of a quota without problems. */
  public static QuotaLimit of(String name, String uid, GpuQuotaSpec spec) {
    GpuQuotaSpec.Hard hard = spec.hardOrDefault();
    return new QuotaLimit(name, uid, spec.classes(), hard.thousandths(), hard.bytes());
  }

  /** Whether it counts claims of this class; those of an unknown class count everywhere. */
  boolean concerns(Optional<String> className) {
    return classes.isEmpty() || className.map(classes::contains).orElse(true);
  }

  /** What is used already does not matter to a claim that adds nothing to it. */
  boolean allows(QuotaCharge used, QuotaCharge more) {
    return !exceedsGpus(used, more) && !exceedsMemory(used, more);
  }

  boolean exceedsGpus(QuotaCharge used, QuotaCharge more) {
    return exceeds(thousandths, used.thousandths(), more.thousandths());
  }

  boolean exceedsMemory(QuotaCharge used, QuotaCharge more) {
    return exceeds(bytes, used.bytes(), more.bytes());
  }

  private static boolean exceeds(OptionalLong hard, long used, long more) {
    return hard.isPresent() && more > 0 && used + more > hard.getAsLong();
  }
}
