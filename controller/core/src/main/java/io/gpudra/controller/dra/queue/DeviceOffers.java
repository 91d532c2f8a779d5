package io.gpudra.controller.dra.queue;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Wait;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Devices that became free, and the waiters that were requeued for them: the oldest ones for the
 * node, twice as many as devices, since some will refuse. When all have answered and devices
 * remain, the next waiters are requeued, up to {@link #OFFERS_PER_DEVICE}. Guarded by the lock of
 * its {@link WaitQueue}.
 */
final class DeviceOffers {
  /** Bounds the cost of freed devices, however many waiters there are. */
  static final int OFFERS_PER_DEVICE = 32;

  /**
   * Only one of the waiters with equal requests is asked. Another request is cheap, so this limit
   * is higher.
   */
  static final int REQUESTS_PER_DEVICE = 256;

  private static final long OFFER_NANOS = ControllerDelays.OFFER.toNanos();

  /**
   * The number of waiters that a node may wake at once, and per second: twice as many as it can
   * have devices.
   */
  static final int WAKES = 2 * Long.SIZE;

  private static final long WAKES_NANOS = ControllerDelays.WAKES_OF_A_NODE.toNanos();

  /** Nodes whose devices became free longer ago are forgotten. */
  static final int NODES_REMEMBERED = 10_000;

  /**
   * The mark and the time when devices of a node last became free.
   *
   * @param inVain the last waiter that got an offer, when all offers were refused
   */
  private record FreedDevices(long mark, long at, @Nullable Waiter inVain, Pace pace) {}

  /** The times at which a node may wake waiters: its inventory may free devices at any rate. */
  private static final class Pace {
    private long next;

    private Pace(long now) {
      next = now - WAKES_NANOS;
    }

    /** The nanoseconds until the next waiter is woken. */
    private long delay(long now) {
      next = now + Math.max(next - now, -WAKES_NANOS) + WAKES_NANOS / WAKES;
      return Math.max(next - now, 0);
    }
  }

  /** The offer of one node's devices: the waiters asked, the time, and the last waiter. */
  private static final class OfferRound {
    private final Pace pace;
    private final Map<Waiter, Long> asked = new LinkedHashMap<>();
    private int devices;
    private int offersLeft;
    private int requestsLeft;

    /** Requests that were refused since devices last became free. */
    private final Set<Object> refused = new HashSet<>();

    private int askedFromOldest;
    private @Nullable Waiter last;

    /** True until an asked waiter does not answer: the devices are for asked waiters only. */
    private boolean reserved = true;

    private OfferRound(Pace pace) {
      this.pace = pace;
    }

    private boolean mayAsk(Wait wait) {
      return wait.request().isEmpty()
          ? offersLeft > 0
          : requestsLeft > 0 && !refused.contains(wait.request().get());
    }

    private void count(Wait wait) {
      if (wait.request().isPresent()) {
        requestsLeft--;
      } else {
        offersLeft--;
        askedFromOldest++;
      }
    }
  }

  private final NavigableMap<Waiter, Wait> waits;
  private final LongSupplier nanoTime;
  private final BiConsumer<WorkKey, Duration> wake;
  private final Map<String, OfferRound> waves = new HashMap<>();
  private final Map<String, FreedDevices> freed = new HashMap<>();

  /** The nodes of {@code freed} by their marks. */
  private final NavigableMap<Long, String> nodes = new TreeMap<>();

  private long mark;

  /** The newest mark that is not remembered any more. */
  private long forgotten;

  DeviceOffers(
      NavigableMap<Waiter, Wait> waits, LongSupplier nanoTime, BiConsumer<WorkKey, Duration> wake) {
    this.waits = waits;
    this.nanoTime = nanoTime;
    this.wake = wake;
  }

  long mark() {
    return mark;
  }

  /**
   * The time until a waiter is woken for devices of its nodes that became free after its evaluation
   * had begun; empty if there are none, or if its poll comes first.
   */
  Optional<Duration> missed(Wait wait) {
    if (wait.evaluatedAfter() < forgotten) {
      return Optional.of(Duration.ZERO);
    }
    long now = nanoTime.getAsLong();
    return freedNodes(wait.evaluatedAfter()).stream()
        .filter(wait::on)
        .map(node -> requireNonNull(freed.get(node)).pace())
        .min(Comparator.comparingLong(pace -> pace.next - now))
        .filter(pace -> pace.next - wait.nextPoll() < 0)
        .map(pace -> Duration.ofNanos(pace.delay(now)));
  }

  /** Nodes that had devices freed after the mark; absent when the mark is too old to know. */
  Optional<ImmutableSet<String>> freedAfter(long judgedAfter) {
    return judgedAfter < forgotten
        ? Optional.empty()
        : Optional.of(ImmutableSet.copyOf(freedNodes(judgedAfter)));
  }

  private Collection<String> freedNodes(long judgedAfter) {
    return nodes.tailMap(judgedAfter, /* inclusive= */ false).values();
  }

  /** The number of open offers. */
  int size() {
    return waves.values().stream().mapToInt(offerRound -> offerRound.asked.size()).sum();
  }

  boolean standFor(Waiter waiter) {
    return waves.values().stream().anyMatch(offerRound -> offerRound.asked.containsKey(waiter));
  }

  /** Nanoseconds until the first offer to this waiter ends. */
  long timeLeft(Waiter waiter) {
    long now = nanoTime.getAsLong();
    return waves.values().stream()
        .flatMap(offerRound -> Optional.ofNullable(offerRound.asked.get(waiter)).stream())
        .mapToLong(asked -> asked + OFFER_NANOS - now)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Whether the node's devices are on offer to waiters that can still answer in time. */
  boolean reserved(String node) {
    OfferRound offerRound = waves.get(node);
    return offerRound != null && offerRound.reserved;
  }

  /** Nodes that are on offer to other waiters that can still answer in time. */
  ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return nodes(offerRound -> offerRound.reserved && !offerRound.asked.containsKey(waiter));
  }

  /** Nodes that are on offer to this waiter. */
  ImmutableSet<String> nodesFor(Waiter waiter) {
    return nodes(offerRound -> offerRound.asked.containsKey(waiter));
  }

  private ImmutableSet<String> nodes(Predicate<OfferRound> those) {
    return ImmutableSet.copyOf(Maps.filterValues(waves, those::test).keySet());
  }

  /** Devices of the node became free. */
  void freed(String node, int devices) {
    Pace pace = note(node);
    OfferRound offerRound = waves.computeIfAbsent(node, unused -> new OfferRound(pace));
    offerRound.devices += devices;
    offerRound.offersLeft += OFFERS_PER_DEVICE * devices;
    offerRound.requestsLeft += REQUESTS_PER_DEVICE * devices;
    offerRound.refused.clear();
    // More devices are free than when the oldest were asked: ask them first again.
    offerRound.last = null;
    offerRound.askedFromOldest = 0;
    offerRound.reserved = true;
    ask(node, offerRound, 2 * devices);
  }

  private Pace note(String node) {
    long now = nanoTime.getAsLong();
    Waiter inVain = null;
    Pace pace = new Pace(now);
    FreedDevices before = freed.remove(node);
    if (before != null) {
      nodes.remove(before.mark());
      pace = before.pace();
      inVain =
          now - before.at() < ControllerDelays.REFUSED_OFFERS.toNanos() ? before.inVain() : null;
    }
    freed.put(node, new FreedDevices(++mark, now, inVain, pace));
    nodes.put(mark, node);
    if (nodes.size() > NODES_REMEMBERED) {
      Map.Entry<Long, String> longestAgo = nodes.pollFirstEntry();
      forgotten = longestAgo.getKey();
      freed.remove(longestAgo.getValue());
    }
    return pace;
  }

  private void note(String node, @Nullable Waiter inVain) {
    freed.computeIfPresent(
        node, (unused, now) -> new FreedDevices(now.mark(), now.at(), inVain, now.pace()));
  }

  /** The waiter after which to continue: old ones that do not fit must not use up all offers. */
  private @Nullable Waiter last(String node, OfferRound offerRound) {
    FreedDevices now = freed.get(node);
    Waiter inVain = now == null ? null : now.inVain();
    boolean jump =
        inVain != null
            && offerRound.last != null
            && offerRound.askedFromOldest >= OFFERS_PER_DEVICE / 2
            && inVain.compareTo(offerRound.last) > 0;
    return jump ? inVain : offerRound.last;
  }

  /** Asks the next waiters, as many as allowed; with none left, the offer of the devices ends. */
  private void ask(String node, OfferRound offerRound, int portion) {
    long now = nanoTime.getAsLong();
    Waiter last = last(node, offerRound);
    NavigableMap<Waiter, Wait> next =
        last == null ? waits : waits.tailMap(last, /* inclusive= */ false);
    int left = portion;
    Iterator<Map.Entry<Waiter, Wait>> all = next.entrySet().iterator();
    while (left > 0 && all.hasNext()) {
      Map.Entry<Waiter, Wait> entry = all.next();
      Wait wait = entry.getValue();
      if (wait.on(node)
          && offerRound.mayAsk(wait)
          && !offerRound.asked.containsKey(entry.getKey())) {
        long delay = offerRound.pace.delay(now);
        offerRound.asked.put(entry.getKey(), now + delay);
        offerRound.last = entry.getKey();
        wake.accept(entry.getKey().work(), Duration.ofNanos(delay));
        offerRound.count(wait);
        left--;
      }
    }
    if (left > 0) {
      note(node, offerRound.offersLeft > 0 ? null : offerRound.last);
    }
    if (offerRound.asked.isEmpty()) {
      waves.remove(node);
    }
  }

  /**
   * Records the refusal of a waiter, which counts for all waiters with an equal request.
   *
   * @param left nodes on which it was not evaluated
   */
  void refused(Waiter waiter, Wait wait, ImmutableSet<String> left) {
    Predicate<String> evaluated =
        node -> wait.on(node) && !left.contains(node) && wait.evaluatedAfter() >= freedAt(node);
    wait.request()
        .ifPresent(
            request ->
                Maps.filterKeys(waves, evaluated::test)
                    .values()
                    .forEach(offerRound -> offerRound.refused.add(request)));
    answered(waiter, ImmutableMultiset.of(), evaluated);
  }

  /** The mark of the node; 0 when the node is not remembered. */
  private long freedAt(String node) {
    FreedDevices last = freed.get(node);
    return last == null ? 0 : last.mark();
  }

  /**
   * Records the answer to all offers. An offer without an answer stays open while it has time left.
   *
   * @param taken the node of each device that was allocated to the waiter; a lower bound
   * @param refuses whether the answer is about this node
   */
  void answered(Waiter waiter, ImmutableMultiset<String> taken, Predicate<String> refuses) {
    long now = nanoTime.getAsLong();
    for (String node : ImmutableSet.copyOf(waves.keySet())) {
      OfferRound offerRound = waves.get(node);
      Long asked = offerRound == null ? null : offerRound.asked.get(waiter);
      if (offerRound == null || asked == null) {
        continue;
      }
      boolean answers = refuses.test(node);
      if (answers || now - asked >= OFFER_NANOS) {
        offerRound.asked.remove(waiter);
        offerRound.devices -= taken.count(node);
        offerRound.reserved &= answers;
        if (offerRound.asked.isEmpty()) {
          ask(node, offerRound, 2 * offerRound.devices);
        }
      }
    }
  }
}
