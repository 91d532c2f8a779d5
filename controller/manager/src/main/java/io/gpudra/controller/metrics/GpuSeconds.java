package io.gpudra.controller.metrics;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.process.Totals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts the GPU time of grants, by namespace, class and model. All of it is counted up to one
 * moment, that of the last look, which is the {@link #word} to the next leader; what is shown is
 * never newer than a word that the lease has. So a crash loses what was not shown yet, and nothing
 * is counted by two leaders.
 *
 * <p>Time is measured by the monotonic clock. The wall clock only places grants and the last word
 * on it, and is believed within bounds: a grant is never older than the last look, the word of the
 * last leader is at most a day old and never of the future.
 *
 * <p>What is kept is a number for each of at most {@value #MOST} series and one for the rest.
 * Usable from any thread.
 */
public final class GpuSeconds {
  static final int MOST = 1_000;

  /** A node says what its GPUs are called, and could say something else each time. */
  static final int MOST_MODELS = 32;

  /** The first that it names; more than anybody builds into one. */
  static final int MOST_MODELS_OF_A_NODE = 4;

  static final Duration LONGEST_GAP = Duration.ofDays(1);

  /**
   * Prometheus must have seen where a series starts, or {@code increase()} misses its beginning.
   */
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

  /** Each with the node that brought it. */
  private final Map<String, String> models = new HashMap<>();

  /** False before this process leads: then it only shows that there is something to count. */
  private boolean counting;

  private long lookedAt;
  private Instant countedUntil = Instant.MIN;

  private volatile Counted looked = new Counted("", ImmutableMap.of());
  private volatile Counted offered = looked;
  private volatile ImmutableMap<ImmutableList<String>, Double> shown = ImmutableMap.of();

  /**
   * What a claim has of the GPUs of one model of one node.
   *
   * @param node that says what the model is called
   * @param labels namespace, class and model
   * @param since when it was granted, as its handle says
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

  /** What was counted until a moment. */
  private record Counted(String word, ImmutableMap<ImmutableList<String>, Double> seconds) {}

  /** Now, by both clocks, and the last look by the wall clock of now. */
  private record Moment(long millis, Instant wall, Instant lastLook) {}

  private static final class Series {
    final long born;
    long units;

    Series(long born) {
      this.born = born;
    }
  }

  /**
   * Counts nothing yet.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public GpuSeconds(Clock clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /**
   * Counts from where the last leader stopped, or from now if it does not say.
   *
   * @param word what is in the lease, be it anybody's
   * @return from when
   */
  public synchronized Instant begin(String word) {
    Moment now = now();
    Instant oldest = now.wall().minus(LONGEST_GAP);
    countedUntil =
        moment(word)
            .filter(last -> !last.isAfter(now.wall()))
            .map(last -> later(last, oldest))
            .orElse(now.wall());
    lookedAt = now.millis() - Duration.between(countedUntil, now.wall()).toMillis();
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
   * Counts up to now.
   *
   * @param held all that is granted; asked while nothing can be told as {@link #released}
   */
  public synchronized void look(Supplier<? extends Iterable<Use>> held) {
    Moment now = now();
    held.get().forEach(use -> count(use, now));
    if (counting) {
      countedUntil = later(now.wall(), countedUntil.plusMillis(now.millis() - lookedAt));
      looked = new Counted(countedUntil.toString(), seconds(now));
    } else {
      shown = seconds(now);
    }
    lookedAt = now.millis();
  }

  /** A wall clock that was put back would have the next leader count again. */
  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** Counts what was given back just now, up to now. */
  public synchronized void released(Collection<Use> uses) {
    Moment now = now();
    uses.forEach(use -> count(use, now));
  }

  private void count(Use use, Moment now) {
    Series one = seriesOf(use, now);
    if (counting) {
      one.units += use.thousandths() * uncounted(use.since(), now);
    }
  }

  /** A time that cannot be is none: then it counts since the last look. */
  private long uncounted(Instant since, Moment now) {
    long passed = now.millis() - lookedAt;
    boolean later = since.isAfter(now.lastLook()) && !since.isAfter(now.wall());
    return later ? Duration.between(since, now.wall()).toMillis() : passed;
  }

  private Series seriesOf(Use use, Moment now) {
    if (!models.containsKey(use.model()) && mayBring(use.node())) {
      models.put(use.model(), use.node());
    }
    ImmutableList<String> labels =
        models.containsKey(use.model()) ? use.labels() : use.ofOtherModel();
    boolean room = series.size() < MOST || series.containsKey(labels);
    return series.computeIfAbsent(room ? labels : REST, unused -> new Series(now.millis()));
  }

  private boolean mayBring(String node) {
    return models.size() < MOST_MODELS
        && Collections.frequency(models.values(), node) < MOST_MODELS_OF_A_NODE;
  }

  private ImmutableMap<ImmutableList<String>, Double> seconds(Moment now) {
    return series.entrySet().stream()
        .collect(toImmutableMap(Map.Entry::getKey, one -> seconds(one.getValue(), now)));
  }

  private static double seconds(Series one, Moment now) {
    return now.millis() - one.born < SHOWN_AS_ZERO.toMillis() ? 0 : one.units / UNITS;
  }

  /** Up to when all is counted, for the next leader; empty before the first look of a leader. */
  public String word() {
    Counted last = looked;
    offered = last;
    return last.word();
  }

  /** The lease has the word that was asked for last, if there was one. */
  public void left(String word) {
    if (!word.isEmpty() && offered.word().equals(word)) {
      shown = offered.seconds();
    }
  }

  /** GPU-seconds; of a series in its first minute none. */
  public Totals shown() {
    return new Totals(LABELS, shown);
  }

  private Moment now() {
    long millis = NANOSECONDS.toMillis(nanoTime.getAsLong());
    Instant wall = clock.instant();
    return new Moment(millis, wall, wall.minusMillis(millis - lookedAt));
  }
}
