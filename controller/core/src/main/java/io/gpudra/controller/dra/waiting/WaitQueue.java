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
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Work that waits for devices, ordered by age. Freed devices are {@link DeviceOffers} to the
 * oldest. Every waiter also polls every 30 s ± 10 %, less often if thousands would evaluate all
 * nodes; a poll skips devices that are on offer to older waiters.
 */
public final class WaitQueue {
  static final Duration POLL = Duration.ofSeconds(30);

  /** Between polls of all nodes by one namespace; a poll takes 35 ms when 5,000 nodes changed. */
  private static final Duration OF_A_NAMESPACE_APART = Duration.ofMillis(100);

  /** Between such polls in all namespaces; a poll without changes takes half a millisecond. */
  private static final Duration APART = Duration.ofMillis(20);

  private static final double JITTER = 0.1;
  private static final ImmutableMultiset<String> NOTHING = ImmutableMultiset.of();

  /**
   * Work that waits.
   *
   * @param since the creation time of the context or claim
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
   * The devices that a waiter waits for.
   *
   * @param nodes absent: any node suits
   * @param request an equal request gets the same refusal; absent: no other waiter does
   * @param judgedAfter devices freed after this mark are not evaluated yet
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
   * The nodes to evaluate for a waiter that any node suits.
   *
   * @param nodes absent: all of them
   * @param left on offer to other waiters, which are older
   * @param mark devices freed after this mark are not evaluated
   */
  public record Look(Optional<ImmutableSet<String>> nodes, ImmutableSet<String> left, long mark) {}

  /** All fields are guarded by this. */
  private final NavigableMap<Waiter, Wait> waits = new TreeMap<>();

  private final Map<WorkKey, Waiter> byWork = new HashMap<>();
  private final Multiset<String> byNamespace = HashMultiset.create();
  private final Map<WorkKey, Long> toldAt = new HashMap<>();
  private final DeviceOffers offers;

  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final BiConsumer<WorkKey, Duration> wake;

  /**
   * An empty queue.
   *
   * @param wake requeues work after a delay
   */
  WaitQueue(LongSupplier nanoTime, RandomGenerator random, BiConsumer<WorkKey, Duration> wake) {
    this.nanoTime = nanoTime;
    this.random = random;
    this.wake = wake;
    this.offers = new DeviceOffers(waits, nanoTime, wake);
  }

  /** To be read before nodes are evaluated, so that no device freed in between is missed. */
  public synchronized long mark() {
    return offers.mark();
  }

  /**
   * The waiter was evaluated and still waits.
   *
   * @param nodes the nodes that refuse it, absent for all; it has an offer on others
   * @param judgedAfter the {@link #mark} before the evaluation
   * @return when to look again at the latest
   */
  public synchronized Duration waits(
      Waiter waiter, Optional<ImmutableSet<String>> nodes, long judgedAfter) {
    return waits(waiter, nodes, Optional.empty(), new Look(nodes, ImmutableSet.of(), judgedAfter));
  }

  /**
   * The waiter, which any node suits, was evaluated and still waits.
   *
   * @param request see {@link Wait}
   * @param looked the nodes on which it was evaluated
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
      wake.accept(waiter.work(), Duration.ZERO);
    }
    return Duration.ofNanos(Math.min(wait.nextPoll() - now, offers.timeLeft(waiter)));
  }

  /**
   * The nodes to evaluate: all if the waiter is due or the request is new, otherwise those whose
   * answer may have changed. A known waiter skips devices that are on offer to others.
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

  /** Nodes whose devices are now on offer to other waiters. */
  public synchronized ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return waits.containsKey(waiter) ? offers.reservedForOthers(waiter) : ImmutableSet.of();
  }

  private ImmutableSet<String> gained(
      Waiter waiter, ImmutableSet<String> freed, ImmutableSet<String> left) {
    return Sets.difference(Sets.union(freed, offers.nodesFor(waiter)), left).immutableCopy();
  }

  /** The work does not wait any more, or its request changed. */
  public synchronized void leaves(WorkKey work) {
    leaves(work, NOTHING);
  }

  /**
   * The work does not wait any more.
   *
   * @param taken the node of each device that it took; a lower bound
   */
  public synchronized void leaves(WorkKey work, ImmutableMultiset<String> taken) {
    toldAt.remove(work);
    Waiter waiter = byWork.remove(work);
    if (waiter != null) {
      remove(waiter);
      offers.answered(waiter, taken, unused -> true);
    }
  }

  /** News were published for this work, which waits or is about to. */
  public synchronized void told(WorkKey work) {
    toldAt.put(work, nanoTime.getAsLong());
  }

  /** Whether the last news were published within this time. */
  public synchronized boolean toldWithin(WorkKey work, Duration time) {
    Long told = toldAt.get(work);
    return told != null && nanoTime.getAsLong() - told < time.toNanos();
  }

  /**
   * Whether suitable nodes may be published: to a waiter that is new or has an offer, and to one
   * that is due unless all these nodes are on offer to others.
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

  /** The number of waiters with a remembered time of the last news. */
  public synchronized int told() {
    return toldAt.size();
  }

  /** The number of open offers. */
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
