package io.gpudra.scenarios.steps;

import java.util.function.LongSupplier;

/**
 * One controller's view of the lease, by the rules of the real election: taken a whole length after
 * the last change seen, given up before its end, and no write is sent whose answer could come
 * later.
 */
final class Candidate {

  /** What a look at the lease led to. */
  enum Turn {
    NOTHING,
    WON,
    LOST
  }

  private final String name;
  private final Lease lease;
  private final LongSupplier nanos;
  private long observedVersion = -1;
  private long observedAt;
  private long renewedAt;
  private long nextLook;
  private boolean leading;

  Candidate(String name, Lease lease, LongSupplier nanos) {
    this.name = name;
    this.lease = lease;
    this.nanos = nanos;
    this.nextLook = nanos.getAsLong();
  }

  boolean leading() {
    return leading;
  }

  boolean due() {
    return nanos.getAsLong() - nextLook >= 0;
  }

  boolean mayWrite() {
    return leading && Lease.LENGTH.toNanos() - sinceRenewal() >= Lease.CALL.toNanos();
  }

  private long sinceRenewal() {
    return nanos.getAsLong() - renewedAt;
  }

  Turn look(boolean serverAnswers) {
    long now = nanos.getAsLong();
    nextLook = now + Lease.RETRY.toNanos();
    if (leading) {
      return renew(now, serverAnswers);
    }
    if (!serverAnswers) {
      return Turn.NOTHING;
    }
    if (lease.version() != observedVersion) {
      observedVersion = lease.version();
      observedAt = now;
    }
    boolean free = lease.holder().isEmpty() || now - observedAt > Lease.LENGTH.toNanos();
    if (!free) {
      return Turn.NOTHING;
    }
    lease.hold(name);
    leading = true;
    renewedAt = now;
    return Turn.WON;
  }

  private Turn renew(long now, boolean serverAnswers) {
    if (serverAnswers && !lease.holder().equals(name)) {
      return Turn.LOST;
    }
    if (serverAnswers) {
      lease.hold(name);
      renewedAt = now;
    }
    return sinceRenewal() > Lease.RENEW_DEADLINE.toNanos() ? Turn.LOST : Turn.NOTHING;
  }
}
