package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Work that waits for devices, in one order of age. Freed devices wake the oldest that wait for
 * their node, twice as many as devices, since some will not take one; who they leave devices to is
 * woken when they have all answered, and so on as far as {@link #OFFERS_PER_DEVICE}. Everybody
 * looks again every 30 s ± 10 % all the same; what is on offer to older ones is then left alone.
 */
final class Waiters {
  private static final Duration POLL = Duration.ofSeconds(30);
  private static final double JITTER = 0.1;
  private static final ImmutableMultiset<String> NOTHING = ImmutableMultiset.of();

  /** What freed devices cost must not grow with the number of those who wait. */
  static final int OFFERS_PER_DEVICE = 32;

  /** Somebody who was offered the node and does not come for it within this time passed it on. */
  private static final long OFFER_NANOS = Duration.ofSeconds(15).toNanos();

  /**
   * Somebody who waits.
   *
   * @param since creation of the context or claim
   */
  record Waiter(Instant since, String uid, WorkKey work) implements Comparable<Waiter> {
    private static final Comparator<Waiter> OLDEST_FIRST =
        Comparator.comparing(Waiter::since)
            .thenComparing(Waiter::uid)
            .thenComparing(waiter -> waiter.work().owner().name());

    @Override
    public int compareTo(Waiter other) {
      return OLDEST_FIRST.compare(this, other);
    }
  }

  /** {@code nodes} absent: any node will do. */
  private record Wait(Optional<ImmutableSet<String>> nodes, long nextPoll) {
    boolean on(String node) {
      return nodes.map(some -> some.contains(node)).orElse(true);
    }
  }

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
    private int askedFromOldest;
    private @Nullable Waiter last;

    /** Until somebody who was asked does not come: nobody else's turn has come. */
    private boolean reserved = true;
  }

  /** All guarded by this. */
  private final NavigableMap<Waiter, Wait> waits = new TreeMap<>();

  private final Map<WorkKey, Waiter> byWork = new HashMap<>();
  private final Map<WorkKey, Long> toldAt = new HashMap<>();
  private final Map<String, Wave> waves = new HashMap<>();
  private final Map<String, Freed> freed = new HashMap<>();
  private long mark;

  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final Consumer<WorkKey> wake;

  Waiters(LongSupplier nanoTime, RandomGenerator random, Consumer<WorkKey> wake) {
    this.nanoTime = nanoTime;
    this.random = random;
    this.wake = wake;
  }

  /** To be taken before nodes are judged, so that nothing freed in between is missed. */
  synchronized long mark() {
    return mark;
  }

  /**
   * The waiter was judged and still waits.
   *
   * @param nodes those that refuse it, absent for all; on others it has an offer
   * @param judgedAfter the {@link #mark} before it was judged
   * @return when to look again at the latest
   */
  synchronized Duration waits(
      Waiter waiter, Optional<ImmutableSet<String>> nodes, long judgedAfter) {
    long now = nanoTime.getAsLong();
    Wait known = waits.get(waiter);
    long nextPoll = known != null && known.nextPoll() - now > 0 ? known.nextPoll() : now + poll();
    Wait wait = new Wait(nodes, nextPoll);
    replace(waiter, wait);
    answered(waiter, NOTHING, wait::on);
    boolean missed =
        judgedAfter < mark
            && freed.entrySet().stream()
                .anyMatch(node -> node.getValue().mark() > judgedAfter && wait.on(node.getKey()));
    if (missed) {
      wake.accept(waiter.work());
    }
    return Duration.ofNanos(Math.min(wait.nextPoll() - now, offersLast(waiter, now)));
  }

  private long offersLast(Waiter waiter, long now) {
    return waves.values().stream()
        .flatMap(wave -> Optional.ofNullable(wave.asked.get(waiter)).stream())
        .mapToLong(asked -> asked + OFFER_NANOS - now)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** The work does not wait any more, or asks for something else. */
  synchronized void leaves(WorkKey work) {
    leaves(work, NOTHING);
  }

  /**
   * The work does not wait any more.
   *
   * @param taken the node of each device it took at least
   */
  synchronized void leaves(WorkKey work, ImmutableMultiset<String> taken) {
    toldAt.remove(work);
    Waiter waiter = byWork.remove(work);
    if (waiter != null) {
      waits.remove(waiter);
      answered(waiter, taken, unused -> true);
    }
  }

  /** News were published to who waits, or is about to. */
  synchronized void told(WorkKey work) {
    toldAt.put(work, nanoTime.getAsLong());
  }

  /** Whether the last news are not older than this. */
  synchronized boolean toldWithin(WorkKey work, Duration time) {
    Long told = toldAt.get(work);
    return told != null && nanoTime.getAsLong() - told < time.toNanos();
  }

  /**
   * Whether it may be published that nodes suit: to who was woken for it or is new, and to who is
   * due anyway unless all of them are on offer to others.
   */
  synchronized boolean mayHearGoodNews(WorkKey work, ImmutableSet<String> nodes) {
    Waiter waiter = byWork.get(work);
    Wait wait = waiter == null ? null : waits.get(waiter);
    return wait == null
        || waves.values().stream().anyMatch(wave -> wave.asked.containsKey(waiter))
        || (isDue(wait) && (nodes.isEmpty() || !nodes.stream().allMatch(this::reserved)));
  }

  private boolean isDue(Wait wait) {
    return wait.nextPoll() - nanoTime.getAsLong() <= 0;
  }

  private boolean reserved(String node) {
    Wave wave = waves.get(node);
    return wave != null && wave.reserved;
  }

  synchronized int waiting() {
    return waits.size();
  }

  /** Of how many it is remembered when they were told something. */
  synchronized int told() {
    return toldAt.size();
  }

  /** How many offers stand. */
  synchronized int offers() {
    return waves.values().stream().mapToInt(wave -> wave.asked.size()).sum();
  }

  /** Devices of the node became free. */
  synchronized void freed(String node, int devices) {
    note(node);
    Wave wave = waves.computeIfAbsent(node, unused -> new Wave());
    wave.devices += devices;
    wave.offersLeft += OFFERS_PER_DEVICE * devices;
    // More is free than when the oldest were asked: they come first again.
    wave.last = null;
    wave.askedFromOldest = 0;
    wave.reserved = true;
    ask(node, wave, 2 * devices);
  }

  /** Of what became free longer ago than a poll everybody who waits has heard by now. */
  private void note(String node) {
    long now = nanoTime.getAsLong();
    freed.values().removeIf(earlier -> now - earlier.at() > POLL.toNanos());
    Freed before = freed.get(node);
    freed.put(node, new Freed(++mark, now, before == null ? null : before.inVain()));
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

  private void ask(String node, Wave wave, int portion) {
    long now = nanoTime.getAsLong();
    Waiter last = last(node, wave);
    NavigableMap<Waiter, Wait> next =
        last == null ? waits : waits.tailMap(last, /* inclusive= */ false);
    int left = Math.min(portion, wave.offersLeft);
    Iterator<Map.Entry<Waiter, Wait>> all = next.entrySet().iterator();
    while (left > 0 && all.hasNext()) {
      Map.Entry<Waiter, Wait> entry = all.next();
      if (entry.getValue().on(node) && wave.asked.putIfAbsent(entry.getKey(), now) == null) {
        wave.last = entry.getKey();
        wake.accept(entry.getKey().work());
        wave.offersLeft--;
        wave.askedFromOldest++;
        left--;
      }
    }
    if (left > 0) {
      note(node, /* inVain= */ null);
    }
    if (wave.asked.isEmpty()) {
      waves.remove(node);
    }
  }

  /** Takes the answer to all offers; an offer that still stands is one that has time left. */
  private void answered(Waiter waiter, ImmutableMultiset<String> taken, Predicate<String> refuses) {
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
        proceed(node, wave);
      }
    }
  }

  private void proceed(String node, Wave wave) {
    if (!wave.asked.isEmpty()) {
      return;
    }
    if (wave.devices > 0 && wave.offersLeft > 0) {
      ask(node, wave, 2 * wave.devices);
      return;
    }
    if (wave.devices > 0) {
      note(node, wave.last);
    }
    waves.remove(node);
  }

  private void replace(Waiter waiter, Wait wait) {
    Waiter before = byWork.put(waiter.work(), waiter);
    if (before != null && !before.equals(waiter)) {
      waits.remove(before);
      answered(before, NOTHING, unused -> true);
    }
    waits.put(waiter, wait);
  }

  private long poll() {
    double factor = 1 + JITTER * (2 * random.nextDouble() - 1);
    return (long) (POLL.toNanos() * factor);
  }
}
