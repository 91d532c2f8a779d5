package io.gpudra.controller.dra.waiting;

import com.google.common.collect.Comparators;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import io.gpudra.controller.dra.WorkKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Work that waits for devices, in one order of age. Freed devices are {@link Offers} to the oldest.
 * Everybody looks again every 30 s ± 10 % all the same, later where thousands of a namespace would
 * look at all nodes; what is on offer to older ones is then left alone.
 */
public final class Waiters {
  static final Duration POLL = Duration.ofSeconds(30);

  /**
   * Of the polls of a namespace that look at all nodes, which takes 35 ms where there are 5,000.
   */
  private static final Duration ALL_NODES_APART = Duration.ofMillis(100);

  private static final double JITTER = 0.1;
  private static final ImmutableMultiset<String> NOTHING = ImmutableMultiset.of();

  /**
   * Somebody who waits.
   *
   * @param since creation of the context or claim
   */
  public record Waiter(Instant since, String uid, WorkKey work) implements Comparable<Waiter> {
    private static final Comparator<Waiter> OLDEST_FIRST =
        Comparator.comparing(Waiter::since)
            .thenComparing(Waiter::uid)
            .thenComparing(waiter -> waiter.work().owner().name());

    @Override
    public int compareTo(Waiter other) {
      return OLDEST_FIRST.compare(this, other);
    }
  }

  /**
   * What for.
   *
   * @param nodes absent: any node will do
   * @param request whoever asks for an equal one is refused alike; absent: nobody else is
   * @param judgedAfter what became free after this mark is not looked at yet
   */
  record Wait(
      Optional<ImmutableSet<String>> nodes,
      Optional<Object> request,
      long judgedAfter,
      long nextPoll) {
    boolean on(String node) {
      return nodes.map(some -> some.contains(node)).orElse(true);
    }
  }

  /** All guarded by this. */
  private final NavigableMap<Waiter, Wait> waits = new TreeMap<>();

  private final Map<WorkKey, Waiter> byWork = new HashMap<>();
  private final Multiset<String> byNamespace = HashMultiset.create();
  private final Map<WorkKey, Long> toldAt = new HashMap<>();
  private final Offers offers;

  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Consumer<WorkKey> wake;

  Waiters(LongSupplier nanoTime, RandomGenerator random, Consumer<WorkKey> wake) {
    this.nanoTime = nanoTime;
    this.random = random;
    this.wake = wake;
    this.offers = new Offers(waits, nanoTime, wake);
  }

  /** To be taken before nodes are judged, so that nothing freed in between is missed. */
  public synchronized long mark() {
    return offers.mark();
  }

  /**
   * The waiter was judged and still waits.
   *
   * @param nodes those that refuse it, absent for all; on others it has an offer
   * @param judgedAfter the {@link #mark} before it was judged
   * @return when to look again at the latest
   */
  public synchronized Duration waits(
      Waiter waiter, Optional<ImmutableSet<String>> nodes, long judgedAfter) {
    return waits(waiter, nodes, Optional.empty(), judgedAfter);
  }

  /**
   * The waiter, whom any node will do, was judged and still waits.
   *
   * @param request see {@link Wait}
   * @param judgedAfter the {@link #mark} before it was judged
   * @return when to look again at the latest
   */
  public synchronized Duration waitsAnywhere(
      Waiter waiter, Optional<Object> request, long judgedAfter) {
    return waits(waiter, Optional.empty(), request, judgedAfter);
  }

  private Duration waits(
      Waiter waiter,
      Optional<ImmutableSet<String>> nodes,
      Optional<Object> request,
      long judgedAfter) {
    long now = nanoTime.getAsLong();
    Wait known = waits.get(waiter);
    long nextPoll =
        known != null && known.nextPoll() - now > 0
            ? known.nextPoll()
            : now + poll(nodes.isPresent() ? POLL : pollAnywhere(waiter));
    Wait wait = new Wait(nodes, request, judgedAfter, nextPoll);
    replace(waiter, wait);
    offers.refused(waiter, wait);
    if (offers.missed(wait)) {
      wake.accept(waiter.work());
    }
    return Duration.ofNanos(Math.min(wait.nextPoll() - now, offers.timeLeft(waiter)));
  }

  /**
   * The nodes that may answer otherwise than before to who waits for this anywhere: those where
   * something became free since. Absent for all, when it is due anyway or did not ask for this.
   */
  public synchronized Optional<ImmutableSet<String>> gained(Waiter waiter, Object request) {
    Wait wait = waits.get(waiter);
    return wait == null || isDue(wait) || !wait.request().equals(Optional.of(request))
        ? Optional.empty()
        : offers.freedAfter(wait.judgedAfter());
  }

  /** The work does not wait any more, or asks for something else. */
  public synchronized void leaves(WorkKey work) {
    leaves(work, NOTHING);
  }

  /**
   * The work does not wait any more.
   *
   * @param taken the node of each device it took at least
   */
  public synchronized void leaves(WorkKey work, ImmutableMultiset<String> taken) {
    toldAt.remove(work);
    Waiter waiter = byWork.remove(work);
    if (waiter != null) {
      remove(waiter);
      offers.answered(waiter, taken, unused -> true);
    }
  }

  /** News were published to who waits, or is about to. */
  public synchronized void told(WorkKey work) {
    toldAt.put(work, nanoTime.getAsLong());
  }

  /** Whether the last news are not older than this. */
  public synchronized boolean toldWithin(WorkKey work, Duration time) {
    Long told = toldAt.get(work);
    return told != null && nanoTime.getAsLong() - told < time.toNanos();
  }

  /**
   * Whether it may be published that nodes suit: to who was woken for it or is new, and to who is
   * due anyway unless all of them are on offer to others.
   */
  public synchronized boolean mayHearGoodNews(WorkKey work, ImmutableSet<String> nodes) {
    Waiter waiter = byWork.get(work);
    Wait wait = waiter == null ? null : waits.get(waiter);
    return waiter == null
        || wait == null
        || offers.standFor(waiter)
        || (isDue(wait) && (nodes.isEmpty() || !nodes.stream().allMatch(offers::reserved)));
  }

  private boolean isDue(Wait wait) {
    return wait.nextPoll() - nanoTime.getAsLong() <= 0;
  }

  public synchronized int waiting() {
    return waits.size();
  }

  /** Of how many it is remembered when they were told something. */
  public synchronized int told() {
    return toldAt.size();
  }

  /** How many offers stand. */
  public synchronized int offers() {
    return offers.size();
  }

  /** Devices of the node became free. */
  synchronized void freed(String node, int devices) {
    offers.freed(node, devices);
  }

  private void replace(Waiter waiter, Wait wait) {
    Waiter before = byWork.put(waiter.work(), waiter);
    if (before != null && !before.equals(waiter)) {
      remove(before);
      offers.answered(before, NOTHING, unused -> true);
    }
    if (waits.put(waiter, wait) == null) {
      byNamespace.add(namespace(waiter));
    }
  }

  private void remove(Waiter waiter) {
    if (waits.remove(waiter) != null) {
      byNamespace.remove(namespace(waiter));
    }
  }

  private Duration pollAnywhere(Waiter waiter) {
    Duration share = ALL_NODES_APART.multipliedBy(byNamespace.count(namespace(waiter)));
    return Comparators.max(POLL, share);
  }

  private long poll(Duration about) {
    double factor = 1 + JITTER * (2 * random.nextDouble() - 1);
    return (long) (about.toNanos() * factor);
  }

  private static String namespace(Waiter waiter) {
    return waiter.work().key().namespace();
  }
}
