package io.gpudra.controller.dra.waiting;

import com.google.common.collect.Comparators;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
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
 * Everybody looks again every 30 s ± 10 % all the same, later where thousands would look at all
 * nodes; what is on offer to older ones is then left alone.
 */
public final class Waiters {
  static final Duration POLL = Duration.ofSeconds(30);

  /** Between polls of a namespace that look at all nodes, which takes 35 ms where 5,000 changed. */
  private static final Duration OF_A_NAMESPACE_APART = Duration.ofMillis(100);

  /** Between those of all namespaces: to look where nothing changed takes half a millisecond. */
  private static final Duration APART = Duration.ofMillis(20);

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

  /**
   * Where somebody is to look whom any node will do.
   *
   * @param nodes absent: all of them
   * @param left on offer to others, who waited longer
   * @param mark what becomes free after it is not looked at yet
   */
  public record Look(Optional<ImmutableSet<String>> nodes, ImmutableSet<String> left, long mark) {}

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
    return waits(waiter, nodes, Optional.empty(), new Look(nodes, ImmutableSet.of(), judgedAfter));
  }

  /**
   * The waiter, whom any node will do, was judged and still waits.
   *
   * @param request see {@link Wait}
   * @param looked where it was judged
   * @return when to look again at the latest
   */
  public synchronized Duration waitsAnywhere(Waiter waiter, Optional<Object> request, Look looked) {
    return waits(waiter, Optional.empty(), request, looked);
  }

  private Duration waits(
      Waiter waiter, Optional<ImmutableSet<String>> nodes, Optional<Object> request, Look looked) {
    long now = nanoTime.getAsLong();
    Wait known = waits.get(waiter);
    long nextPoll =
        known != null && known.nextPoll() - now > 0
            ? known.nextPoll()
            : now + poll(nodes.isPresent() ? POLL : pollAnywhere(waiter));
    Wait wait = new Wait(nodes, request, looked.mark(), nextPoll);
    replace(waiter, wait);
    offers.refused(waiter, wait, looked.left());
    if (offers.missed(wait)) {
      wake.accept(waiter.work());
    }
    return Duration.ofNanos(Math.min(wait.nextPoll() - now, offers.timeLeft(waiter)));
  }

  /**
   * Where to look for a device: when the waiter is due, or asks for this for the first time, on all
   * nodes, else on those that may answer otherwise than before. Who waits already leaves alone what
   * is on offer to others.
   */
  public synchronized Look look(Waiter waiter, Object request) {
    Wait wait = waits.get(waiter);
    if (wait == null) {
      return new Look(Optional.empty(), ImmutableSet.of(), offers.mark());
    }
    ImmutableSet<String> left = offers.reservedForOthers(waiter);
    Optional<ImmutableSet<String>> nodes =
        isDue(wait) || !wait.request().equals(Optional.of(request))
            ? Optional.empty()
            : offers.freedAfter(wait.judgedAfter()).map(freed -> gained(waiter, freed, left));
    return new Look(nodes, left, offers.mark());
  }

  /** Nodes whose devices are on offer now, and not to this one. */
  public synchronized ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return waits.containsKey(waiter) ? offers.reservedForOthers(waiter) : ImmutableSet.of();
  }

  private ImmutableSet<String> gained(
      Waiter waiter, ImmutableSet<String> freed, ImmutableSet<String> left) {
    return Sets.difference(Sets.union(freed, offers.nodesFor(waiter)), left).immutableCopy();
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
    Duration own = OF_A_NAMESPACE_APART.multipliedBy(byNamespace.count(namespace(waiter)));
    Duration all = APART.multipliedBy(byNamespace.size());
    return Comparators.max(POLL, Comparators.max(own, all));
  }

  private long poll(Duration about) {
    double factor = 1 + JITTER * (2 * random.nextDouble() - 1);
    return (long) (about.toNanos() * factor);
  }

  private static String namespace(Waiter waiter) {
    return waiter.work().key().namespace();
  }
}
