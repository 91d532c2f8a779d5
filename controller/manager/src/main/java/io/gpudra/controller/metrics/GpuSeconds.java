package io.gpudra.controller.metrics;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.process.LabelledTotals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts the GPU time of allocations by namespace, class and model. All time is counted until the
 * last update, whose time is handed over to the next leader as its {@link #word}. Counters are only
 * published after this word is stored in the lease. So a crash loses unpublished time, and no time
 * is counted by two leaders.
 *
 * <p>Durations are measured by the monotonic clock. The wall clock only places allocations and the
 * last word on it, within bounds: an allocation is never counted from before the last update, and
 * the word of the last leader is at most a day old and never in the future.
 *
 * <p>Keeps a number for each of at most {@value #MAX} series, and one for all others. Usable from
 * any thread.
 */
public final class GpuSeconds {
  static final int MAX = 1_000;

  /** Model names come from nodes, which could send a new one each time. */
  static final int MAX_MODELS = 32;

  /** The number of first models that a node reports; real nodes have fewer. */
  static final int MAX_MODELS_OF_A_NODE = 4;

  static final Duration MAX_GAP = Duration.ofDays(1);

  /** Prometheus must scrape a series at 0, or {@code increase()} misses its beginning. */
  static final Duration SHOWN_AS_ZERO = Duration.ofMinutes(1);

  private static final String OTHER = "other";
  private static final ImmutableList<String> LABELS =
      ImmutableList.of("namespace", "class", "model");
  private static final ImmutableList<String> REST = ImmutableList.of(OTHER, OTHER, OTHER);

  /** Thousandths of a GPU times milliseconds. */
  private static final double UNITS = 1_000_000;

  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Map<ImmutableList<String>, Series> series = new HashMap<>();

  /** Nodes by the model that they reported first. */
  private final Map<String, String> models = new HashMap<>();

  /** False before this process leads; until then, series are shown as 0. */
  private boolean counting;

  private long updatedAt;
  private Instant countedUntil = Instant.MIN;

  private volatile SavedTotals updated = new SavedTotals("", ImmutableMap.of());
  private volatile SavedTotals offered = updated;
  private volatile ImmutableMap<ImmutableList<String>, Double> shown = ImmutableMap.of();

  /**
   * A claim's part of the GPUs of one model on one node.
   *
   * @param node that reports the model
   * @param labels namespace, class and model
   * @param since the time of its allocation, according to its handle
   * @param thousandths of a GPU
   */
  public record Use(String node, ImmutableList<String> labels, Instant since, long thousandths) {
    String model() {
      return labels.get(2);
    }

    ImmutableList<String> ofOtherModel() {
      return ImmutableList.of(labels.get(0), labels.get(1), OTHER);
    }
  }

  /** Totals at one moment. */
  private record SavedTotals(String word, ImmutableMap<ImmutableList<String>, Double> seconds) {}

  /** The current time by both clocks, and the time of the last update by the wall clock. */
  private record Moment(long millis, Instant wall, Instant lastUpdate) {}

  private record Series(long born, AtomicLong units) {}

  /**
   * A counter without any count yet.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public GpuSeconds(Clock clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /**
   * Starts counting where the last leader stopped, or now if this is unknown.
   *
   * @param word content of the lease, from any writer
   * @return the start time
   */
  public synchronized Instant begin(String word) {
    Moment now = now();
    Instant oldest = now.wall().minus(MAX_GAP);
    countedUntil =
        moment(word)
            .filter(last -> !last.isAfter(now.wall()))
            .map(last -> later(last, oldest))
            .orElse(now.wall());
    updatedAt = now.millis() - Duration.between(countedUntil, now.wall()).toMillis();
    counting = true;
    return countedUntil;
  }

  private static Optional<Instant> moment(String word) {
    try {
      return Optional.of(Instant.parse(word));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /**
   * Counts until now.
   *
   * @param held all allocations; called while {@link #released} is blocked
   */
  public synchronized void update(Supplier<? extends Iterable<Use>> held) {
    Moment now = now();
    held.get().forEach(use -> count(use, now));
    if (counting) {
      countedUntil = later(now.wall(), countedUntil.plusMillis(now.millis() - updatedAt));
      updated = new SavedTotals(countedUntil.toString(), seconds(now));
    } else {
      shown = seconds(now);
    }
    updatedAt = now.millis();
  }

  /** If the wall clock was set back, the next leader would count twice. */
  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** Counts a released allocation until now. */
  public synchronized void released(Collection<Use> uses) {
    Moment now = now();
    uses.forEach(use -> count(use, now));
  }

  private void count(Use use, Moment now) {
    Series one = seriesOf(use, now);
    if (counting) {
      one.units().addAndGet(use.thousandths() * uncounted(use.since(), now));
    }
  }

  /**
   * An allocation time that cannot be true is ignored: then the time since the last update counts.
   */
  private long uncounted(Instant since, Moment now) {
    long passed = now.millis() - updatedAt;
    boolean later = since.isAfter(now.lastUpdate()) && !since.isAfter(now.wall());
    return later ? Duration.between(since, now.wall()).toMillis() : passed;
  }

  private Series seriesOf(Use use, Moment now) {
    if (!models.containsKey(use.model()) && mayBring(use.node())) {
      models.put(use.model(), use.node());
    }
    ImmutableList<String> labels =
        models.containsKey(use.model()) ? use.labels() : use.ofOtherModel();
    boolean room = series.size() < MAX || series.containsKey(labels);
    return series.computeIfAbsent(
        room ? labels : REST, unused -> new Series(now.millis(), new AtomicLong()));
  }

  private boolean mayBring(String node) {
    return models.size() < MAX_MODELS
        && Collections.frequency(models.values(), node) < MAX_MODELS_OF_A_NODE;
  }

  private ImmutableMap<ImmutableList<String>, Double> seconds(Moment now) {
    return series.entrySet().stream()
        .collect(toImmutableMap(Map.Entry::getKey, one -> seconds(one.getValue(), now)));
  }

  private static double seconds(Series one, Moment now) {
    return now.millis() - one.born() < SHOWN_AS_ZERO.toMillis() ? 0 : one.units().get() / UNITS;
  }

  /**
   * The time until which all is counted, for the next leader; empty before the leader's first
   * update.
   */
  public String word() {
    SavedTotals last = updated;
    offered = last;
    return last.word();
  }

  /** The word that was requested last is stored in the lease. */
  public void wordStored(String word) {
    if (!word.isEmpty() && offered.word().equals(word)) {
      shown = offered.seconds();
    }
  }

  /** GPU-seconds; 0 for a series in its first minute. */
  public LabelledTotals shown() {
    return new LabelledTotals(LABELS, shown);
  }

  private Moment now() {
    long millis = NANOSECONDS.toMillis(nanoTime.getAsLong());
    Instant wall = clock.instant();
    return new Moment(millis, wall, wall.minusMillis(millis - updatedAt));
  }
}
