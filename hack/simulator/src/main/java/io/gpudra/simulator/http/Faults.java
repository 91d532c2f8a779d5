package io.gpudra.simulator.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Injects faults into connections. Thread-safe; the first fault that matches a request wins. */
public final class Faults {
  private final List<Armed> armed = new CopyOnWriteArrayList<>();
  private final AtomicLong cuts = new AtomicLong();
  private volatile Duration watchDelay = Duration.ZERO;
  private final AtomicInteger held = new AtomicInteger();
  private volatile CountDownLatch released = new CountDownLatch(1);
  private volatile boolean refusing;

  /**
   * Selects requests; empty strings match all.
   *
   * @param client prefix of its user agent
   * @param verb such as {@code update}
   * @param resource with its subresource, such as {@code resourceclaims/status}
   */
  public record Match(String client, String verb, String resource, String name) {

    /** For all clients. */
    public Match(String verb, String resource, String name) {
      this("", verb, resource, name);
    }

    boolean covers(Call call) {
      return call.header("user-agent").startsWith(client)
          && (verb.isEmpty() || verb.equals(call.verb()))
          && (resource.isEmpty() || resource.equals(call.what()))
          && (name.isEmpty() || name.equals(call.key().name()));
    }
  }

  /**
   * A fault.
   *
   * @param code of ANSWER: 409, 410, 429 or 500
   * @param delay of DELAY
   */
  public record Fault(Kind kind, int code, Duration delay) {

    /** Kinds of faults. */
    public enum Kind {
      DROP_BEFORE,
      DROP_AFTER,
      DELAY,
      HOLD,
      ANSWER
    }

    /** Closes the connection before the request is handled. */
    public static Fault dropBefore() {
      return new Fault(Kind.DROP_BEFORE, 0, Duration.ZERO);
    }

    /** Closes the connection after the request was handled. */
    public static Fault dropAfter() {
      return new Fault(Kind.DROP_AFTER, 0, Duration.ZERO);
    }

    /** Delays the request. */
    public static Fault delay(Duration delay) {
      return new Fault(Kind.DELAY, 0, delay);
    }

    /** Holds the request until it is released. */
    public static Fault hold() {
      return new Fault(Kind.HOLD, 0, Duration.ZERO);
    }

    /** Answers with the code without handling the request. */
    public static Fault answer(int code) {
      return new Fault(Kind.ANSWER, code, Duration.ZERO);
    }
  }

  private record Armed(Match match, Fault fault, AtomicInteger left, long until) {

    boolean fires(Call call) {
      return match.covers(call)
          && System.nanoTime() - until < 0
          && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }
  }

  /** Injects it into this many of the next matching requests. */
  public void inject(Match match, Fault fault, int times) {
    long never = System.nanoTime() + Duration.ofDays(1).toNanos();
    armed.add(new Armed(match, fault, new AtomicInteger(times), never));
  }

  /** Injects it into all matching requests for this duration. */
  public void inject(Match match, Fault fault, Duration lasting) {
    long until = System.nanoTime() + lasting.toNanos();
    armed.add(new Armed(match, fault, new AtomicInteger(Integer.MAX_VALUE), until));
  }

  /** Number of held requests. */
  public int held() {
    return held.get();
  }

  /** Releases all held requests. */
  public void release() {
    CountDownLatch before = released;
    released = new CountDownLatch(1);
    before.countDown();
  }

  /** Blocks as long as the fault requires. */
  void await(Fault fault) throws InterruptedException {
    if (fault.kind() != Fault.Kind.HOLD) {
      Thread.sleep(fault.delay().toMillis());
      return;
    }
    CountDownLatch release = released;
    held.incrementAndGet();
    try {
      release.await();
    } finally {
      held.decrementAndGet();
    }
  }

  /** Closes every open watch without an error message. */
  public void cutWatches() {
    cuts.incrementAndGet();
  }

  /** Delays each watch event. */
  public void delayWatches(Duration delay) {
    watchDelay = delay;
  }

  /** Closes open watches, and every connection at its next request, until switched off. */
  public void refuseConnections(boolean refuse) {
    refusing = refuse;
    if (refuse) {
      cutWatches();
    }
  }

  /** Removes all faults. */
  public void clear() {
    armed.clear();
    watchDelay = Duration.ZERO;
    refusing = false;
    release();
  }

  Optional<Fault> next(Call call) {
    if (refusing) {
      return Optional.of(Fault.dropBefore());
    }
    return armed.stream().filter(one -> one.fires(call)).map(Armed::fault).findFirst();
  }

  long cuts() {
    return cuts.get();
  }

  Duration watchDelay() {
    return watchDelay;
  }
}
