package io.gpudra.simulator.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What shall go wrong on the wire. Thread-safe; the first fault that matches a request counts. */
public final class Faults {
  private final List<Armed> armed = new CopyOnWriteArrayList<>();
  private final AtomicLong cuts = new AtomicLong();
  private volatile Duration watchDelay = Duration.ZERO;
  private final AtomicInteger held = new AtomicInteger();
  private volatile CountDownLatch released = new CountDownLatch(1);
  private volatile boolean refusing;

  /**
   * Which requests; empty texts match all.
   *
   * @param client how its user agent begins
   * @param verb such as {@code update}
   * @param resource with its subresource, such as {@code resourceclaims/status}
   */
  public record Match(String client, String verb, String resource, String name) {

    /** Whoever asks. */
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
   * What happens.
   *
   * @param code of ANSWER: 409, 410, 429 or 500
   * @param delay of DELAY
   */
  public record Fault(Kind kind, int code, Duration delay) {

    /** Ways to go wrong. */
    public enum Kind {
      DROP_BEFORE,
      DROP_AFTER,
      DELAY,
      HOLD,
      ANSWER
    }

    /** The connection breaks and nothing was done. */
    public static Fault dropBefore() {
      return new Fault(Kind.DROP_BEFORE, 0, Duration.ZERO);
    }

    /** The connection breaks after everything was done. */
    public static Fault dropAfter() {
      return new Fault(Kind.DROP_AFTER, 0, Duration.ZERO);
    }

    /** The request is handled late. */
    public static Fault delay(Duration delay) {
      return new Fault(Kind.DELAY, 0, delay);
    }

    /** The request is handled once it is released. */
    public static Fault hold() {
      return new Fault(Kind.HOLD, 0, Duration.ZERO);
    }

    /** Nothing is done and the code is answered. */
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

  /** Hits the next requests that match, this many times. */
  public void inject(Match match, Fault fault, int times) {
    long never = System.nanoTime() + Duration.ofDays(1).toNanos();
    armed.add(new Armed(match, fault, new AtomicInteger(times), never));
  }

  /** Hits every request that matches, from now for this long. */
  public void inject(Match match, Fault fault, Duration lasting) {
    long until = System.nanoTime() + lasting.toNanos();
    armed.add(new Armed(match, fault, new AtomicInteger(Integer.MAX_VALUE), until));
  }

  /** How many requests are held. */
  public int held() {
    return held.get();
  }

  /** Lets all requests that are held be handled. */
  public void release() {
    CountDownLatch before = released;
    released = new CountDownLatch(1);
    before.countDown();
  }

  /** Takes the time that the fault takes. */
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

  /** Ends every open watch, without a word to its client. */
  public void cutWatches() {
    cuts.incrementAndGet();
  }

  /** Lets watches deliver each change this much later. */
  public void delayWatches(Duration delay) {
    watchDelay = delay;
  }

  /** Breaks every connection at its next request, and open watches, until told otherwise. */
  public void refuseConnections(boolean refuse) {
    refusing = refuse;
    if (refuse) {
      cutWatches();
    }
  }

  /** Back to a well-behaved server. */
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
