package io.gpudra.controller.client.election;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.election.LeaseStore.Holding;
import io.gpudra.controller.client.election.LeaseStore.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects one of several processes as the leader. It replaces client-java's LeaderElector, which
 * cannot be fixed from outside: it leads on for up to the renew deadline after it saw another
 * holder, runs its start hook a retry period late and swallows its exceptions, measures with the
 * wall clock, fails on a Lease without durations, and steps down at the first runtime exception
 * (client-java.md 2.3 and 4).
 *
 * <p>What must stay true: a candidate takes a lease no earlier than its duration after the last
 * change it saw. This also holds for a lease that it created itself: the former leader may live,
 * and only the candidate that creates the mark of the first term knows that there is none. {@link
 * #mayWrite} ends one call timeout earlier, measured from when the last renewal was <em>sent</em>.
 * So a former leader sends no write that can land after another process leads, as long as all
 * clocks run at one speed.
 *
 * <p>One thread does everything; {@link #mayWrite} and {@link #leading} are for any thread.
 */
public final class LeaderElection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);

  /** Rare, since renewals wait for the answer. */
  private static final Duration MARK_RETRY = Duration.ofMinutes(5);

  private final LeaseStore leases;
  private final String identity;
  private final ElectionTiming timing;
  private final LongSupplier nanoTime;
  private final Terms terms;
  private final Meter failures;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;

  /** The lease as last seen, and the time when it was first seen like this. */
  private @Nullable Lease observed;

  private long observedAt;
  private boolean failing;

  /** Our own lease as last written or read back; null while it must be read first. */
  private @Nullable Lease own;

  private long epoch;

  /** Whether other candidates would know that there was a leader after a deletion of the lease. */
  private boolean marked;

  private long nextMark;
  private volatile BooleanSupplier untouched = () -> false;
  private volatile long renewedAt;
  private volatile boolean leading;

  /** The callbacks of a term. The election's thread calls them; each must return at once. */
  public interface Terms {

    /**
     * Leadership begins now; no other process has it.
     *
     * @param epoch how often the lease changed hands; grows with every term
     */
    void begun(long epoch);

    /** Another process leads or may soon lead: this process must end without more work. */
    void lost(String why);

    /**
     * Passes on the word of the last leader, as the term begins.
     *
     * @param word untrusted: any client that may update the lease can write it; empty for none
     */
    default void inherit(String word) {}

    /** The word for the next leader, written with each renewal; empty keeps the current one. */
    default String legacy() {
      return "";
    }

    /** The lease has this word now, and keeps it if this process fails. */
    default void wordStored(String word) {}
  }

  /**
   * A candidate that does nothing before {@link #start}.
   *
   * @param identity the name in the lease; the process that replaces this one may have the same
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   * @throws IllegalArgumentException when the relations of the times do not hold
   */
  public LeaderElection(
      LeaseStore leases,
      String identity,
      ElectionTiming timing,
      LongSupplier nanoTime,
      Terms terms,
      MetricRegistry metrics) {
    if (!timing.problems().isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", timing.problems()));
    }
    this.leases = leases;
    this.identity = identity;
    this.timing = timing;
    this.nanoTime = nanoTime;
    this.terms = terms;
    this.failures = metrics.meter("election.failures");
    metrics.register("election.leading", (Gauge<Integer>) () -> leading ? 1 : 0);
    this.thread = new Thread(this::run, "election");
    this.thread.setDaemon(true);
  }

  /**
   * Starts the candidacy; call it once.
   *
   * @param nowUntouched whether the cluster has no trace of a leader's work; evaluated when there
   *     is no lease
   */
  public void start(BooleanSupplier nowUntouched) {
    expect(nowUntouched);
    thread.start();
  }

  void expect(BooleanSupplier nowUntouched) {
    untouched = nowUntouched;
  }

  /** Whether a term has begun and is not known to have ended. */
  public boolean leading() {
    return leading;
  }

  /** Whether the candidacy still goes on; false before the start and after a loss. */
  public boolean alive() {
    return thread.isAlive();
  }

  /** Whether a write sent now can only land while no other process can lead. */
  public boolean mayWrite() {
    return leading && remaining().compareTo(timing.call()) >= 0;
  }

  /** The time for which no other process can lead; not positive without a valid lease. */
  public Duration remaining() {
    return leading ? timing.lease().minusNanos(nanoTime.getAsLong() - renewedAt) : Duration.ZERO;
  }

  /**
   * Ends the candidacy. A leader also releases the lease to the next candidate, so it must have
   * stopped writing.
   */
  @Override
  public void close() {
    stopped.countDown();
    if (thread.isAlive()) {
      Uninterruptibles.joinUninterruptibly(thread);
    }
    release();
  }

  /** The only catch-all: after any failure, the renew deadline decides whether leadership ends. */
  @SuppressWarnings("CatchingUnchecked")
  private void run() {
    Duration wait = Duration.ZERO;
    while (!Uninterruptibles.awaitUninterruptibly(stopped, wait)) {
      try {
        wait = step();
      } catch (Exception e) {
        LOG.error("election failed unexpectedly identity={}", identity, e);
        wait = timing.retry();
      }
    }
  }

  /** Reads or renews the lease once; returns the delay until the next step. */
  Duration step() {
    if (stopped.getCount() > 0) {
      loseWhenOverdue();
    }
    if (stopped.getCount() == 0) {
      return timing.retry();
    }
    try {
      boolean settled = leading ? renew() : tryAcquire();
      failing = false;
      return settled ? timing.retry() : timing.retry().dividedBy(10);
    } catch (IOException e) {
      own = null;
      failures.mark();
      report(e);
      // The call may have lasted beyond the deadline.
      loseWhenOverdue();
      return timing.retry();
    }
  }

  private void loseWhenOverdue() {
    if (leading && sinceRenewal().compareTo(timing.renewDeadline()) > 0) {
      lose("could not renew for " + sinceRenewal().toMillis() + " ms");
    }
  }

  private void report(IOException e) {
    if (!failing) {
      LOG.warn(
          "lease not reachable identity={} leading={} why={}", identity, leading, e.toString());
    }
    failing = true;
  }

  private Duration sinceRenewal() {
    return Duration.ofNanos(nanoTime.getAsLong() - renewedAt);
  }

  /**
   * @return false when another candidate wrote in between, so that an early retry is worthwhile
   */
  private boolean tryAcquire() throws IOException {
    Optional<Lease> found = leases.read();
    long now = nanoTime.getAsLong();
    if (found.isEmpty()) {
      return isFirstEver() ? startFirstTerm() : createLease();
    }
    Lease lease = found.get();
    if (observed == null || !lease.unchangedSince(observed)) {
      LOG.debug("lease seen identity={} holder={}", identity, lease.holder());
      observedAt = now;
    }
    observed = lease;
    return !isExpired(lease, now)
        || startTerm(now, leases.replace(lease, holding(lease.transitions() + 1, "")));
  }

  /** Of all candidates that find neither a lease nor a leader's work, one creates the mark. */
  private boolean isFirstEver() {
    return observed == null && untouched.getAsBoolean() && mark();
  }

  /** If another candidate has created a lease meanwhile, this candidate waits. */
  private boolean startFirstTerm() throws IOException {
    Optional<Lease> made = leases.create(timing.leaseSeconds(), 0);
    return made.isPresent()
        && startTerm(
            nanoTime.getAsLong(),
            leases.replace(made.get(), holding(made.get().transitions() + 1, "")));
  }

  /**
   * The lease was deleted or never existed. A new one without a holder makes all candidates wait
   * for as long as a former holder may still write.
   *
   * @return false when another candidate created it
   */
  private boolean createLease() throws IOException {
    Lease last = observed;
    int seconds = timing.leaseSeconds();
    return last == null
        ? leases.create(seconds, 0).isPresent()
        : leases.create(Math.max(seconds, last.seconds()), last.transitions()).isPresent();
  }

  /**
   * A lease with our own identity belongs to a former instance of this process. The new epoch ends
   * that instance if it still runs.
   */
  private boolean isExpired(Lease lease, long now) {
    Duration held = lease.seconds() > 0 ? Duration.ofSeconds(lease.seconds()) : timing.lease();
    return lease.released()
        || lease.holder().equals(identity)
        || Duration.ofNanos(now - observedAt).compareTo(held) >= 0;
  }

  private boolean startTerm(long sentAt, Optional<Lease> stored) {
    if (stored.isEmpty()) {
      return false;
    }
    own = stored.get();
    epoch = own.transitions();
    renewedAt = sentAt;
    nextMark = sentAt;
    leading = true;
    LOG.info("leading identity={} epoch={}", identity, epoch);
    markInTime();
    terms.begun(epoch);
    terms.inherit(own.word());
    return true;
  }

  private boolean renew() throws IOException {
    Lease current = own;
    if (current == null) {
      Optional<Lease> found = leases.read();
      if (found.isEmpty()) {
        lose("lease was deleted");
        return true;
      }
      if (isForeign(found.get())) {
        lose("lease is held by " + found.get().holder());
        return true;
      }
      current = found.get();
    }
    long sentAt = nanoTime.getAsLong();
    String word = terms.legacy();
    boolean renewed = renewed(sentAt, leases.replace(current, holding(epoch, word)));
    if (renewed) {
      terms.wordStored(word);
    }
    markInTime();
    return renewed;
  }

  /** Without the mark, no candidate would know of this term after a deletion of the lease. */
  private void markInTime() {
    if (!marked && nanoTime.getAsLong() - nextMark >= 0) {
      boolean unused = mark();
    }
  }

  /**
   * Whether this call created the mark; a process without permission to create it is not the first.
   */
  private boolean mark() {
    try {
      boolean made = leases.mark();
      marked = true;
      return made;
    } catch (IOException e) {
      LOG.warn("term not marked, trying again identity={} why={}", identity, e.toString());
      nextMark = nanoTime.getAsLong() + MARK_RETRY.toNanos();
      return false;
    }
  }

  /**
   * Whether another process led meanwhile, even with our identity or briefly: then the epoch
   * differs.
   */
  private boolean isForeign(Lease lease) {
    return lease.transitions() != epoch
        || !(lease.holder().equals(identity) || lease.holder().isEmpty());
  }

  private boolean renewed(long sentAt, Optional<Lease> stored) {
    own = stored.orElse(null);
    if (stored.isPresent()) {
      renewedAt = sentAt;
    }
    return stored.isPresent();
  }

  private Holding holding(long transitions, String word) {
    return new Holding(identity, timing.leaseSeconds(), transitions, word);
  }

  /** This is final: the process must not lead again. */
  private void lose(String why) {
    leading = false;
    own = null;
    stopped.countDown();
    LOG.error("leadership lost identity={} epoch={} why={}", identity, epoch, why);
    terms.lost(why);
  }

  /** There is no second try: a lease that is not released expires by itself. */
  private void release() {
    boolean led = leading;
    leading = false;
    if (!led || own == null) {
      return;
    }
    try {
      boolean released = leases.replace(own, new Holding("", 1, epoch, terms.legacy())).isPresent();
      LOG.info("lease released identity={} epoch={} done={}", identity, epoch, released);
    } catch (IOException e) {
      LOG.warn("lease not released identity={} epoch={} why={}", identity, epoch, e.toString());
    }
  }
}
