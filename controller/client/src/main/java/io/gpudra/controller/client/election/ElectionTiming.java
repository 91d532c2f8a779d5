package io.gpudra.controller.client.election;

import com.google.common.collect.ImmutableList;
import java.time.Duration;

/**
 * The times of an {@link LeaderElection}.
 *
 * @param lease the time after a renewal in which no other candidate takes the lease
 * @param renewDeadline the time without a renewal after which a leader steps down
 * @param retry the time between two reads or two renewals of the lease
 * @param call limit of one call to the API server: a write sent now may land until then
 */
public record ElectionTiming(
    Duration lease, Duration renewDeadline, Duration retry, Duration call) {

  /** The relations that do not hold, as sentences with the option names; empty when all do. */
  public ImmutableList<String> problems() {
    ImmutableList.Builder<String> problems = ImmutableList.builder();
    if (retry.isNegative() || retry.isZero()) {
      problems.add("--retry-period must be more than 0");
    }
    if (renewDeadline.compareTo(retry) <= 0) {
      problems.add("--renew-deadline must be longer than --retry-period");
    }
    if (lease.compareTo(renewDeadline) <= 0) {
      problems.add("--lease-duration must be longer than --renew-deadline");
    }
    if (call.isNegative() || call.isZero()) {
      problems.add("--api-timeout must be more than 0");
    }
    if (lease.compareTo(retry.plus(call)) <= 0) {
      problems.add(
          "--lease-duration must be longer than --retry-period and --api-timeout together");
    }
    return problems.build();
  }

  /**
   * Whole seconds for the wire, rounded up: others may wait longer than the leader, not shorter.
   */
  int leaseSeconds() {
    return (int) Math.min(Integer.MAX_VALUE, lease.plusNanos(999_999_999).toSeconds());
  }
}
