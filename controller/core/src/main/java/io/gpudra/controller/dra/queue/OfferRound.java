package io.gpudra.controller.dra.queue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.SetMultimap;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Wait;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The offer of one node's devices: the waiters asked, the time, and the last waiter. */
final class OfferRound {
  static final long OFFER_NANOS = ControllerDelays.OFFER.toNanos();

  final String node;
  private final WakePace pace;
  private final LongSupplier nanoTime;
  private final BiConsumer<WorkKey, Duration> wake;
  private final SetMultimap<Waiter, String> late;
  final NavigableMap<Waiter, Long> asked = new TreeMap<>();

  /** Waiters that are asked when no higher priority is any more. */
  final NavigableSet<Waiter> gaveWay = new TreeSet<>();

  int devices;
  int offersLeft;
  int requestsLeft;

  /** Requests that were refused since devices last became free; equal ones are one object. */
  final Set<Object> refused = Sets.newIdentityHashSet();

  int askedFromOldest;
  @Nullable Waiter last;

  /** Whether devices are for asked waiters only: until one does not answer. */
  boolean reserved;

  OfferRound(
      String node,
      WakePace pace,
      LongSupplier nanoTime,
      BiConsumer<WorkKey, Duration> wake,
      SetMultimap<Waiter, String> late) {
    this.node = node;
    this.pace = pace;
    this.nanoTime = nanoTime;
    this.wake = wake;
    this.late = late;
  }

  /** Whether only others may take the devices now; a lower priority does not keep them. */
  boolean isClosedTo(Waiter waiter) {
    return outranks(waiter)
        || (reserved
            && !asked.containsKey(waiter)
            && asked.firstKey().priority() >= waiter.priority());
  }

  /** Whether a higher priority can still answer in time. */
  boolean outranks(Waiter waiter) {
    long now = nanoTime.getAsLong();
    return asked.entrySet().stream()
        .takeWhile(offer -> offer.getKey().priority() > waiter.priority())
        .anyMatch(
            offer ->
                now - offer.getValue() < OFFER_NANOS && !late.containsEntry(offer.getKey(), node));
  }

  /** Whether all have answered, but for priorities lower than that of the last one. */
  boolean onlyLowerAreLeft() {
    return asked.isEmpty() || (last != null && asked.firstKey().priority() < last.priority());
  }

  void offerTo(Waiter waiter) {
    if (outranks(waiter)) {
      gaveWay.add(waiter);
      return;
    }
    long now = nanoTime.getAsLong();
    long delay = pace.delay(now);
    asked.put(waiter, now + delay);
    wake.accept(waiter.work(), Duration.ofNanos(delay));
  }

  void offerAgain(NavigableSet<Waiter> waiters) {
    for (Waiter waiter : ImmutableList.copyOf(waiters)) {
      gaveWay.remove(waiter);
      offerTo(waiter);
    }
  }

  boolean mayAsk(Waiter waiter, Wait wait) {
    if (!lacksOffer(waiter, wait)) {
      return false;
    }
    return wait.request().isEmpty()
        ? offersLeft > 0
        : requestsLeft > 0 && !refused.contains(wait.request().get());
  }

  /** Whether the waiter can use the node and has no offer of it. */
  boolean lacksOffer(Waiter waiter, Wait wait) {
    return wait.on(node) && !asked.containsKey(waiter) && !gaveWay.contains(waiter);
  }

  void count(Wait wait) {
    if (wait.request().isPresent()) {
      requestsLeft--;
    } else {
      offersLeft--;
      askedFromOldest++;
    }
  }
}
