package io.gpudra.controller.dra.waiting;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.waiting.Waiters.Wait;
import io.gpudra.controller.dra.waiting.Waiters.Waiter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Devices that became free, and who was woken to take them: the oldest that wait for their node,
 * twice as many as devices, since some will not take one; who they leave devices to is woken when
 * they have all answered, and so on as far as {@link #OFFERS_PER_DEVICE}. Guarded by the lock of
 * its {@link Waiters}.
 */
final class Offers {
  /** What freed devices cost must not grow with the number of those who wait. */
  static final int OFFERS_PER_DEVICE = 32;

  /**
   * Those who ask for the same are asked once, and what one more request costs is little; so many
   * are.
   */
  static final int REQUESTS_PER_DEVICE = 256;

  /** Somebody who was offered the node and does not come for it within this time passed it on. */
  private static final long OFFER_NANOS = Duration.ofSeconds(15).toNanos();

  /** Who was asked in vain is remembered so long; then the oldest are asked first again. */
  private static final Duration IN_VAIN = Waiters.POLL;

  /** Of the others, whose devices became free longer ago, it is not known when they did. */
  static final int NODES_REMEMBERED = 10_000;

  /**
   * The mark and the time at which devices of a node became free last.
   *
   * @param inVain the last who was offered one when nobody wanted any
   */
  private record Freed(long mark, long at, @Nullable Waiter inVain) {}

  /** Devices of one node on offer, whom they were offered to when, and who was the last asked. */
  private static final class Wave {
    private final Map<Waiter, Long> asked = new LinkedHashMap<>();
    private int devices;
    private int offersLeft;
    private int requestsLeft;

    /** Since devices became free last. */
    private final Set<Object> refused = new HashSet<>();

    private int askedFromOldest;
    private @Nullable Waiter last;

    /** Until somebody who was asked does not come: nobody else's turn has come. */
    private boolean reserved = true;

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
  private final Consumer<WorkKey> wake;
  private final Map<String, Wave> waves = new HashMap<>();
  private final Map<String, Freed> freed = new HashMap<>();

  /** The nodes of {@code freed} by their marks. */
  private final NavigableMap<Long, String> nodes = new TreeMap<>();

  private long mark;

  /** The newest that is not remembered any more. */
  private long forgotten;

  Offers(NavigableMap<Waiter, Wait> waits, LongSupplier nanoTime, Consumer<WorkKey> wake) {
    this.waits = waits;
    this.nanoTime = nanoTime;
    this.wake = wake;
  }

  long mark() {
    return mark;
  }

  /** Whether a node that it waits for had devices freed after it was judged. */
  boolean missed(Wait wait) {
    long judgedAfter = wait.judgedAfter();
    return judgedAfter < forgotten || freedNodes(judgedAfter).stream().anyMatch(wait::on);
  }

  /** Nodes that had devices freed after the mark; absent when that is too long ago to know. */
  Optional<ImmutableSet<String>> freedAfter(long judgedAfter) {
    return judgedAfter < forgotten
        ? Optional.empty()
        : Optional.of(ImmutableSet.copyOf(freedNodes(judgedAfter)));
  }

  private Collection<String> freedNodes(long judgedAfter) {
    return nodes.tailMap(judgedAfter, /* inclusive= */ false).values();
  }

  /** How many stand. */
  int size() {
    return waves.values().stream().mapToInt(wave -> wave.asked.size()).sum();
  }

  boolean standFor(Waiter waiter) {
    return waves.values().stream().anyMatch(wave -> wave.asked.containsKey(waiter));
  }

  /** Nanoseconds until the first of its offers ends. */
  long timeLeft(Waiter waiter) {
    long now = nanoTime.getAsLong();
    return waves.values().stream()
        .flatMap(wave -> Optional.ofNullable(wave.asked.get(waiter)).stream())
        .mapToLong(asked -> asked + OFFER_NANOS - now)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Whether the node's devices are on offer to some who are not late. */
  boolean reserved(String node) {
    Wave wave = waves.get(node);
    return wave != null && wave.reserved;
  }

  /** On offer to some who are not late, and not to this one. */
  ImmutableSet<String> reservedForOthers(Waiter waiter) {
    return nodes(wave -> wave.reserved && !wave.asked.containsKey(waiter));
  }

  /** On offer to this one. */
  ImmutableSet<String> nodesFor(Waiter waiter) {
    return nodes(wave -> wave.asked.containsKey(waiter));
  }

  private ImmutableSet<String> nodes(Predicate<Wave> those) {
    return ImmutableSet.copyOf(Maps.filterValues(waves, those::test).keySet());
  }

  /** Devices of the node became free. */
  void freed(String node, int devices) {
    note(node);
    Wave wave = waves.computeIfAbsent(node, unused -> new Wave());
    wave.devices += devices;
    wave.offersLeft += OFFERS_PER_DEVICE * devices;
    wave.requestsLeft += REQUESTS_PER_DEVICE * devices;
    wave.refused.clear();
    // More is free than when the oldest were asked: they come first again.
    wave.last = null;
    wave.askedFromOldest = 0;
    wave.reserved = true;
    ask(node, wave, 2 * devices);
  }

  private void note(String node) {
    long now = nanoTime.getAsLong();
    Waiter inVain = null;
    Freed before = freed.remove(node);
    if (before != null) {
      nodes.remove(before.mark());
      inVain = now - before.at() < IN_VAIN.toNanos() ? before.inVain() : null;
    }
    freed.put(node, new Freed(++mark, now, inVain));
    nodes.put(mark, node);
    if (nodes.size() > NODES_REMEMBERED) {
      Map.Entry<Long, String> longestAgo = nodes.pollFirstEntry();
      forgotten = longestAgo.getKey();
      freed.remove(longestAgo.getValue());
    }
  }

  private void note(String node, @Nullable Waiter inVain) {
    freed.computeIfPresent(node, (unused, now) -> new Freed(now.mark(), now.at(), inVain));
  }

  /** Those after whom to ask; the oldest who do not fit must not use up all offers each time. */
  private @Nullable Waiter last(String node, Wave wave) {
    Freed now = freed.get(node);
    Waiter inVain = now == null ? null : now.inVain();
    boolean jump =
        inVain != null
            && wave.last != null
            && wave.askedFromOldest >= OFFERS_PER_DEVICE / 2
            && inVain.compareTo(wave.last) > 0;
    return jump ? inVain : wave.last;
  }

  /** The next, as many as may still be asked; when nobody is, the devices are on offer no more. */
  private void ask(String node, Wave wave, int portion) {
    long now = nanoTime.getAsLong();
    Waiter last = last(node, wave);
    NavigableMap<Waiter, Wait> next =
        last == null ? waits : waits.tailMap(last, /* inclusive= */ false);
    int left = portion;
    Iterator<Map.Entry<Waiter, Wait>> all = next.entrySet().iterator();
    while (left > 0 && all.hasNext()) {
      Map.Entry<Waiter, Wait> entry = all.next();
      Wait wait = entry.getValue();
      if (wait.on(node)
          && wave.mayAsk(wait)
          && wave.asked.putIfAbsent(entry.getKey(), now) == null) {
        wave.last = entry.getKey();
        wake.accept(entry.getKey().work());
        wave.count(wait);
        left--;
      }
    }
    if (left > 0) {
      note(node, wave.offersLeft > 0 ? null : wave.last);
    }
    if (wave.asked.isEmpty()) {
      waves.remove(node);
    }
  }

  /**
   * Takes the answer of one who still waits, which is that of all who ask for the same.
   *
   * @param left nodes on which it was not judged
   */
  void refused(Waiter waiter, Wait wait, ImmutableSet<String> left) {
    Predicate<String> judged =
        node -> wait.on(node) && !left.contains(node) && wait.judgedAfter() >= freedAt(node);
    wait.request()
        .ifPresent(
            request ->
                Maps.filterKeys(waves, judged::test)
                    .values()
                    .forEach(wave -> wave.refused.add(request)));
    answered(waiter, ImmutableMultiset.of(), judged);
  }

  /** The mark; of a node that is not remembered none. */
  private long freedAt(String node) {
    Freed last = freed.get(node);
    return last == null ? 0 : last.mark();
  }

  /**
   * Takes the answer to all offers; an offer that still stands is one that has time left.
   *
   * @param taken the node of each device it took at least
   * @param refuses whether it answers for a node
   */
  void answered(Waiter waiter, ImmutableMultiset<String> taken, Predicate<String> refuses) {
    long now = nanoTime.getAsLong();
    for (String node : ImmutableSet.copyOf(waves.keySet())) {
      Wave wave = waves.get(node);
      Long asked = wave == null ? null : wave.asked.get(waiter);
      if (wave == null || asked == null) {
        continue;
      }
      boolean answers = refuses.test(node);
      if (answers || now - asked >= OFFER_NANOS) {
        wave.asked.remove(waiter);
        wave.devices -= taken.count(node);
        wave.reserved &= answers;
        if (wave.asked.isEmpty()) {
          ask(node, wave, 2 * wave.devices);
        }
      }
    }
  }
}
