package io.gpudra.controller.dra.queue;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import com.google.common.collect.TreeMultiset;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Work that waits for devices, ordered by priority, then by age. The first waiters get {@link
 * DeviceOffers} of freed devices. Every waiter also polls, less often if thousands would evaluate
 * all nodes. A poll skips devices that are on offer to earlier waiters; new work skips those on
 * offer to a higher priority.
 */
public final class WaitQueue {
  private static final double JITTER = 0.1;
  private static final ImmutableMultiset<String> NOTHING = ImmutableMultiset.of();

  /** Work that waits. */
  public record Waiter(WaitRank rank, String uid, WorkKey work) implements Comparable<Waiter> {
    private static final Comparator<Waiter> FIRST_SERVED =
        Comparator.comparing(Waiter::rank)
            .thenComparing(Waiter::uid)
            .thenComparing(waiter -> waiter.work().owner().name());

    int priority() {
      return rank.priority();
    }

    @Override
    public int compareTo(Waiter other) {
      return FIRST_SERVED.compare(this, other);
    }
  }

  /**
   * The devices that a waiter waits for.
   *
   * @param nodes absent: any node suits
   * @param request the same object gets the same refusal; absent: no other waiter does
   * @param evaluatedAfter devices freed after this mark are not evaluated yet
   */
  record Wait(
      Optional<ImmutableSet<String>> nodes,
      Optional<Object> request,
      long evaluatedAfter,
      long nextPoll) {
    boolean on(String node) {
      return nodes.map(some -> some.contains(node)).orElse(true);
    }
  }

  /**
   * The nodes to evaluate for a waiter.
   *
   * @param nodes absent: all of them
   * @param onOffer on offer to other waiters, which come first
   * @param freedMark devices freed after this mark are not evaluated
   */
  record ScanScope(
      Optional<ImmutableSet<String>> nodes, ImmutableSet<String> onOffer, long freedMark) {
    ScanScope leaving(String node) {
      return new ScanScope(nodes, ImmutableSet.of(node), freedMark);
    }
  }

  /** All fields are guarded by this. */
  private final NavigableMap<Waiter, Wait> waits = new TreeMap<>();

  private final Map<WorkKey, Waiter> byWork = new HashMap<>();
  private final Multiset<String> byNamespace = TreeMultiset.create();
  private final Map<WorkKey, Long> publishedAt = new HashMap<>();
  private final DeviceOffers offers;
  private final LimitLine limitLine;

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
    this.limitLine = new LimitLine(nanoTime, wake);
  }

  /**
   * Begins the evaluation of a pod on the nodes that the scheduler offers. To be called before the
   * claims are read.
   */
  public synchronized Turn enter(Waiter waiter) {
    offers.giveWay(waiter);
    return new Turn(this, waiter, Optional.empty(), allNodes(ImmutableSet.of()));
  }

  /**
   * Begins the evaluation of a waiter that any node suits: on all nodes if it is due or the request
   * is new, otherwise on the nodes whose answer may have changed. A known waiter skips devices that
   * are on offer to others, a new one those on offer to a higher priority.
   *
   * @param request of waiters that ask alike the same object, which may get the same refusal
   */
  public synchronized Turn enter(Waiter waiter, Object request) {
    offers.giveWay(waiter);
    return new Turn(this, waiter, Optional.of(request), scope(waiter, request));
  }

  /**
   * The waiter was evaluated and still waits.
   *
   * @param nodes see {@link Wait}
   * @param request see {@link Wait}
   * @param scope the nodes on which it was evaluated
   * @return the delay until the next poll
   */
  synchronized Duration refused(
      Waiter waiter,
      Optional<ImmutableSet<String>> nodes,
      Optional<Object> request,
      ScanScope scope) {
    limitLine.gone(waiter.work());
    return await(waiter, nodes, request, scope);
  }

  /**
   * The same of a pod for which the scheduler has to choose another node: it keeps its turn in the
   * line of its namespace's limits.
   */
  synchronized Duration choosing(Waiter waiter, ImmutableSet<String> nodes, ScanScope scope) {
    limitLine.choosing(waiter);
    return await(waiter, Optional.of(nodes), Optional.empty(), scope);
  }

  private Duration await(
      Waiter waiter,
      Optional<ImmutableSet<String>> nodes,
      Optional<Object> request,
      ScanScope scope) {
    long now = nanoTime.getAsLong();
    Wait known = waits.get(waiter);
    long nextPoll =
        known != null && known.nextPoll() - now > 0
            ? known.nextPoll()
            : now + poll(nodes.isPresent() ? ControllerDelays.POLL : pollAnywhere(waiter));
    Wait wait = new Wait(nodes, request, scope.freedMark(), nextPoll);
    ImmutableSet<String> left = left(waiter, wait, scope);
    if (replace(waiter, wait)) {
      offers.gaveWay(waiter, left);
    }
    offers.refused(waiter, wait, left);
    offers.missed(wait).ifPresent(delay -> wake.accept(waiter.work(), delay));
    return Duration.ofNanos(Math.min(wait.nextPoll() - now, offers.timeLeft(waiter)));
  }

  /** Nodes may have been offered to a higher priority during the evaluation. */
  private ImmutableSet<String> left(Waiter waiter, Wait wait, ScanScope scope) {
    return wait.nodes().isPresent() || waits.containsKey(waiter)
        ? scope.onOffer()
        : Sets.union(scope.onOffer(), offers.reservedForHigher(waiter)).immutableCopy();
  }

  /** See {@link LimitLine#easings}. */
  synchronized long easings(Waiter waiter) {
    return limitLine.easings(waiter);
  }

  /**
   * Limits of the namespace keep the waiter from devices, on any node.
   *
   * @param judgedAfter see {@link LimitLine#limited}
   * @return the delay until the next poll
   */
  synchronized Duration limited(
      Waiter waiter, ImmutableSet<String> limits, int claims, long judgedAfter) {
    leave(waiter.work(), NOTHING);
    limitLine.limited(waiter, limits, claims, judgedAfter);
    int ofNamespace = limitLine.size(namespace(waiter));
    Duration gap = ControllerDelays.NAMESPACE_POLL_GAP.multipliedBy(ofNamespace);
    return Duration.ofNanos(poll(Comparators.max(ControllerDelays.POLL, gap)));
  }

  /** Whether no waiter that is being evaluated comes first. */
  synchronized boolean comesFirst(Waiter waiter) {
    return limitLine.before(waiter).isEmpty();
  }

  /** Limited, if another waiter comes first and is being evaluated. */
  synchronized Optional<Duration> letPass(Waiter waiter, int claims, long judgedAfter) {
    return limitLine.before(waiter).map(limits -> limited(waiter, limits, claims, judgedAfter));
  }

  /** Devices are held for the work: the limits count them, and the next waiter has its turn. */
  public synchronized void committed(WorkKey work) {
    limitLine.gone(work);
  }

  /** Claims of the namespace may hold more than before; the first of its line are requeued. */
  synchronized void eased(String namespace) {
    limitLine.eased(namespace);
  }

  /** The number of claims of the namespace that wait for each limit. */
  public synchronized ImmutableMultiset<String> limited(String namespace) {
    return limitLine.waiting(namespace);
  }

  private ScanScope scope(Waiter waiter, Object request) {
    Wait wait = waits.get(waiter);
    if (wait == null) {
      return allNodes(offers.reservedForHigher(waiter));
    }
    ImmutableSet<String> onOffer = offers.reservedForOthers(waiter);
    return isDue(wait) || !wait.request().equals(Optional.of(request))
        ? allNodes(onOffer)
        : new ScanScope(
            offers.freedAfter(wait.evaluatedAfter()).map(freed -> gained(waiter, freed, onOffer)),
            onOffer,
            offers.mark());
  }

  private ScanScope allNodes(ImmutableSet<String> onOffer) {
    return new ScanScope(Optional.empty(), onOffer, offers.mark());
  }

  /** Nodes whose devices are now on offer to other waiters, which come first. */
  synchronized ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return waits.containsKey(waiter)
        ? offers.reservedForOthers(waiter)
        : offers.reservedForHigher(waiter);
  }

  /** Nodes whose devices are now on offer to a higher priority. */
  synchronized ImmutableSet<String> reservedForHigher(Waiter waiter) {
    return offers.reservedForHigher(waiter);
  }

  private ImmutableSet<String> gained(
      Waiter waiter, ImmutableSet<String> freed, ImmutableSet<String> onOffer) {
    return Sets.difference(Sets.union(freed, offers.nodesFor(waiter)), onOffer).immutableCopy();
  }

  /** The rank with which the work waits. */
  public synchronized Optional<WaitRank> rank(WorkKey work, String uid) {
    return Optional.ofNullable(byWork.get(work))
        .or(() -> limitLine.waiter(work))
        .filter(waiter -> waiter.uid().equals(uid))
        .map(Waiter::rank);
  }

  /** The work does not wait any more, or its request changed. */
  public synchronized void remove(WorkKey work) {
    remove(work, NOTHING);
  }

  /**
   * The work does not wait any more.
   *
   * @param taken the node of each device that was allocated to it; a lower bound
   */
  public synchronized void remove(WorkKey work, ImmutableMultiset<String> taken) {
    limitLine.gone(work);
    leave(work, taken);
  }

  private void leave(WorkKey work, ImmutableMultiset<String> taken) {
    publishedAt.remove(work);
    Waiter waiter = byWork.remove(work);
    if (waiter != null) {
      remove(waiter);
      offers.gone(waiter, taken);
    }
  }

  /** Records that unsuitable nodes were published for this work, which waits or is about to. */
  synchronized void published(WorkKey work) {
    publishedAt.put(work, nanoTime.getAsLong());
  }

  synchronized PublishHistory publishHistory(WorkKey work, ImmutableSet<String> suitable) {
    return new PublishHistory(
        publishedWithin(work, ControllerDelays.PUBLISH_GAP),
        publishedWithin(work, ControllerDelays.SCHEDULER_BACK_OFF),
        mayPublishSuitable(work, suitable));
  }

  private boolean publishedWithin(WorkKey work, Duration time) {
    Long at = publishedAt.get(work);
    return at != null && nanoTime.getAsLong() - at < time.toNanos();
  }

  /**
   * Whether suitable nodes may be published: for a waiter that is new or has an offer, and for one
   * that is due unless all these nodes are on offer to others.
   */
  private boolean mayPublishSuitable(WorkKey work, ImmutableSet<String> nodes) {
    Waiter waiter = byWork.get(work);
    Wait wait = waiter == null ? null : waits.get(waiter);
    return waiter == null
        || wait == null
        || offers.standFor(waiter)
        || (isDue(wait)
            && (nodes.isEmpty() || !offers.reservedForOthers(waiter).containsAll(nodes)));
  }

  private boolean isDue(Wait wait) {
    return wait.nextPoll() - nanoTime.getAsLong() <= 0;
  }

  public synchronized int waiting() {
    return waits.size();
  }

  /** The number of waiters with a remembered time of the last publication. */
  public synchronized int publishedCount() {
    return publishedAt.size();
  }

  /** The number of open offers. */
  public synchronized int offers() {
    return offers.size();
  }

  /** Devices of the node became free. */
  synchronized void freed(String node, int devices) {
    offers.freed(node, devices);
  }

  /** A name that these name is free on the node. */
  synchronized void nameReleased(String node, ImmutableSet<WorkKey> works) {
    offers.nameReleased(
        node,
        works.stream()
            .flatMap(work -> Stream.ofNullable(byWork.get(work)))
            .collect(ImmutableSet.toImmutableSet()));
  }

  /** Returns whether the waiter is new. */
  private boolean replace(Waiter waiter, Wait wait) {
    Waiter before = byWork.put(waiter.work(), waiter);
    if (before != null && !before.equals(waiter)) {
      remove(before);
      offers.gone(before, NOTHING);
    }
    boolean isNew = waits.put(waiter, wait) == null;
    if (isNew) {
      byNamespace.add(namespace(waiter));
    }
    return isNew;
  }

  private void remove(Waiter waiter) {
    if (waits.remove(waiter) != null) {
      byNamespace.remove(namespace(waiter));
    }
  }

  private Duration pollAnywhere(Waiter waiter) {
    int ofNamespace = byNamespace.count(namespace(waiter));
    Duration own = ControllerDelays.NAMESPACE_POLL_GAP.multipliedBy(ofNamespace);
    Duration all = ControllerDelays.POLL_GAP.multipliedBy(byNamespace.size());
    return Comparators.max(ControllerDelays.POLL, Comparators.max(own, all));
  }

  private long poll(Duration about) {
    double factor = 1 + JITTER * (2 * random.nextDouble() - 1);
    return (long) (about.toNanos() * factor);
  }

  private static String namespace(Waiter waiter) {
    return waiter.work().key().namespace();
  }
}
