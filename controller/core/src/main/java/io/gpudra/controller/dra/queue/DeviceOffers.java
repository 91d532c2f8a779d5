package io.gpudra.controller.dra.queue;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.SetMultimap;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Wait;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Devices that became free, and the waiters that were requeued for them: the first ones for the
 * node, twice as many as devices, since some will refuse. When all have answered and devices
 * remain, the next waiters are requeued, up to {@link #OFFERS_PER_DEVICE}. While a waiter may still
 * take devices of a node, no lower priority does. Guarded by the lock of its {@link WaitQueue}.
 */
final class DeviceOffers {
  /** Bounds the cost of freed devices, however many waiters there are. */
  static final int OFFERS_PER_DEVICE = 32;

  /**
   * Only one of the waiters with equal requests is asked. Another request is cheap, so this limit
   * is higher.
   */
  static final int REQUESTS_PER_DEVICE = 256;

  /**
   * The number of waiters that a node may wake at once, and per second: twice as many as it can
   * have devices.
   */
  static final int WAKES = 2 * Long.SIZE;

  /** Nodes whose devices became free longer ago are forgotten. */
  static final int NODES_REMEMBERED = 10_000;

  /**
   * The mark and the time when devices of a node last became free.
   *
   * @param inVain the last waiter that got an offer, when all offers were refused
   */
  private record FreedDevices(long mark, long at, @Nullable Waiter inVain, WakePace pace) {}

  private final NavigableMap<Waiter, Wait> waits;
  private final LongSupplier nanoTime;
  private final BiConsumer<WorkKey, Duration> wake;
  private final Map<String, OfferRound> waves = new HashMap<>();
  private final Map<String, FreedDevices> freed = new HashMap<>();

  /** Nodes whose last offer to a waiter ended without an answer: it keeps them from no other. */
  private final SetMultimap<Waiter, String> late = HashMultimap.create();

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
    return waves.values().stream()
        .mapToInt(offerRound -> offerRound.asked.size() + offerRound.gaveWay.size())
        .sum();
  }

  boolean standFor(Waiter waiter) {
    return waves.values().stream().anyMatch(offerRound -> offerRound.asked.containsKey(waiter));
  }

  /** Nanoseconds until the first offer to this waiter ends. */
  long timeLeft(Waiter waiter) {
    long now = nanoTime.getAsLong();
    return waves.values().stream()
        .flatMap(offerRound -> Optional.ofNullable(offerRound.asked.get(waiter)).stream())
        .mapToLong(asked -> asked + OfferRound.OFFER_NANOS - now)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Nodes that are on offer to other waiters that can still answer in time. */
  ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return nodes(offerRound -> offerRound.isClosedTo(waiter));
  }

  /** Those of them that are on offer to a higher priority. */
  ImmutableSet<String> reservedForHigher(Waiter waiter) {
    return nodes(offerRound -> offerRound.outranks(waiter));
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
    note(node);
    OfferRound offerRound = offerRound(node);
    offerRound.devices += devices;
    offerRound.offersLeft += OFFERS_PER_DEVICE * devices;
    offerRound.requestsLeft += REQUESTS_PER_DEVICE * devices;
    offerRound.refused.clear();
    // More devices are free than when the oldest were asked: ask them first again.
    offerRound.last = null;
    offerRound.askedFromOldest = 0;
    offerRound.reserved = true;
    ask(offerRound, 2 * devices);
    endIfEmpty(offerRound);
  }

  /**
   * The name of a claim became free on the node, at the pace at which devices do: a report may name
   * any claim. Devices that are free there are kept from no other waiter.
   */
  void nameReleased(String node, ImmutableSet<Waiter> named) {
    note(node);
    OfferRound offerRound = offerRound(node);
    for (Waiter waiter : named) {
      Wait wait = waits.get(waiter);
      boolean mayAsk = offerRound.asked.size() < WAKES;
      if (mayAsk && wait != null && offerRound.lacksOffer(waiter, wait)) {
        offerRound.offerTo(waiter);
      }
    }
    endIfEmpty(offerRound);
  }

  private void note(String node) {
    long now = nanoTime.getAsLong();
    Waiter inVain = null;
    WakePace pace = new WakePace(now);
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
  }

  private void note(String node, @Nullable Waiter inVain) {
    freed.computeIfPresent(
        node, (unused, now) -> new FreedDevices(now.mark(), now.at(), inVain, now.pace()));
  }

  /** The waiter after which to continue: old ones that do not fit must not use up all offers. */
  private @Nullable Waiter last(OfferRound offerRound) {
    FreedDevices now = freed.get(offerRound.node);
    Waiter inVain = now == null ? null : now.inVain();
    boolean jump =
        inVain != null
            && offerRound.last != null
            && offerRound.askedFromOldest >= OFFERS_PER_DEVICE / 2
            && inVain.compareTo(offerRound.last) > 0;
    return jump ? inVain : offerRound.last;
  }

  /** Asks the next waiters, as many as allowed. */
  private void ask(OfferRound offerRound, int portion) {
    Waiter last = last(offerRound);
    NavigableMap<Waiter, Wait> next =
        last == null ? waits : waits.tailMap(last, /* inclusive= */ false);
    int left = portion;
    Iterator<Map.Entry<Waiter, Wait>> all = next.entrySet().iterator();
    while (left > 0 && all.hasNext()) {
      Map.Entry<Waiter, Wait> entry = all.next();
      if (offerRound.mayAsk(entry.getKey(), entry.getValue())) {
        offerRound.offerTo(entry.getKey());
        offerRound.last = entry.getKey();
        offerRound.count(entry.getValue());
        left--;
      }
    }
    if (left > 0) {
      note(offerRound.node, offerRound.offersLeft > 0 ? null : offerRound.last);
    }
  }

  /** Goes on after an answer: with those that gave way in their turn, then with the next ones. */
  private void goOn(OfferRound offerRound) {
    Waiter last = offerRound.last;
    if (last != null) {
      offerRound.offerAgain(offerRound.gaveWay.headSet(last, /* inclusive= */ true));
    }
    if (offerRound.onlyLowerAreLeft()) {
      ask(offerRound, 2 * offerRound.devices);
    }
    offerRound.offerAgain(offerRound.gaveWay);
    endIfEmpty(offerRound);
  }

  /** With none left to ask, the offer of the devices ends. */
  private void endIfEmpty(OfferRound offerRound) {
    if (offerRound.asked.isEmpty()) {
      waves.remove(offerRound.node);
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

  /** Gives back the offers that a higher priority may take. */
  void giveWay(Waiter waiter) {
    waves.values().stream()
        .filter(offerRound -> offerRound.outranks(waiter))
        .filter(offerRound -> offerRound.asked.remove(waiter) != null)
        .forEach(offerRound -> offerRound.gaveWay.add(waiter));
  }

  /** A new waiter left these nodes to a higher priority. They are offered to it after that. */
  void gaveWay(Waiter waiter, ImmutableSet<String> nodes) {
    nodes.stream()
        .map(this::offerRound)
        .filter(offerRound -> offerRound.gaveWay.size() < WAKES)
        .forEach(offerRound -> offerRound.offerTo(waiter));
  }

  private OfferRound offerRound(String node) {
    FreedDevices last = freed.get(node);
    WakePace pace = last == null ? new WakePace(nanoTime.getAsLong()) : last.pace();
    return waves.computeIfAbsent(node, unused -> new OfferRound(node, pace, nanoTime, wake, late));
  }

  /** The mark of the node; 0 when the node is not remembered. */
  private long freedAt(String node) {
    FreedDevices last = freed.get(node);
    return last == null ? 0 : last.mark();
  }

  /** The waiter does not wait any more. */
  void gone(Waiter waiter, ImmutableMultiset<String> taken) {
    waves.values().forEach(offerRound -> offerRound.gaveWay.remove(waiter));
    answered(waiter, taken, unused -> true);
    late.removeAll(waiter);
  }

  /**
   * Records the answer to all offers. An offer without an answer stays open while it has time left.
   *
   * @param taken the node of each device that was allocated to the waiter; a lower bound
   * @param refuses whether the answer is about this node
   */
  private void answered(Waiter waiter, ImmutableMultiset<String> taken, Predicate<String> refuses) {
    long now = nanoTime.getAsLong();
    for (String node : ImmutableSet.copyOf(waves.keySet())) {
      OfferRound offerRound = waves.get(node);
      Long asked = offerRound == null ? null : offerRound.asked.get(waiter);
      if (offerRound == null || asked == null) {
        continue;
      }
      boolean answers = refuses.test(node);
      if (answers || now - asked >= OfferRound.OFFER_NANOS) {
        offerRound.asked.remove(waiter);
        offerRound.devices -= taken.count(node);
        offerRound.reserved &= answers;
        boolean unusedChange = answers ? late.remove(waiter, node) : late.put(waiter, node);
        goOn(offerRound);
      }
    }
  }
}
