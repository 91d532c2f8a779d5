package io.gpudra.controller.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.base.Ascii;
import com.google.common.collect.Comparators;
import io.gpudra.controller.dra.Reports;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.LabelValues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Times what people wait for: {@code grant.wait.<mode>.<namespace>.<class>} from the wish for
 * devices to their grant, {@code release} from the decision to take a claim's devices back to the
 * moment when the last of them is neither granted nor prepared for it. All else that is reported
 * goes its way.
 */
public final class Stopwatches implements Reports {
  /** Of so many claims the beginning is remembered; the oldest is forgotten for the next. */
  static final int MOST = 10_000;

  /** What a timer can count. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final Reports told;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final MetricRegistry metrics;
  private final LabelValues namespaces = new LabelValues();
  private final LabelValues classes = new LabelValues();
  private final Timer releases;

  /** When the release of a claim began; guarded by itself. */
  private final Map<ClaimUid, Long> releasing =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ClaimUid, Long> oldest) {
          return size() > MOST;
        }
      };

  /**
   * @param told what is not measured
   * @param clock that of the API server as far as anybody knows: it sets the times of creation
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public Stopwatches(Reports told, Clock clock, LongSupplier nanoTime, MetricRegistry metrics) {
    this.told = told;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.metrics = metrics;
    this.releases = metrics.timer("release", BucketTimer::ofWaiting);
    metrics.register("entries.releasing", (Gauge<Integer>) this::releasing);
  }

  private int releasing() {
    synchronized (releasing) {
      return releasing.size();
    }
  }

  @Override
  public void warn(Warning warning) {
    told.warn(warning);
  }

  @Override
  public void note(Warning event) {
    told.note(event);
  }

  @Override
  public void refused(Reason reason) {
    told.refused(reason);
  }

  /** Clocks of two machines may make it less than nothing. */
  @Override
  public void granted(Mode mode, ClaimFacts claim, Instant asked) {
    Duration waited = Comparators.min(Duration.between(asked, clock.instant()), LONGEST);
    waits(mode, claim).update(waited.isNegative() ? Duration.ZERO : waited);
  }

  private Timer waits(Mode mode, ClaimFacts claim) {
    String name =
        "grant.wait.%s.%s.%s"
            .formatted(
                Ascii.toLowerCase(mode.name()),
                namespaces.of(claim.ref().namespace()),
                classes.of(claim.className()));
    return metrics.timer(name, BucketTimer::ofWaiting);
  }

  @Override
  public void releasing(ClaimUid claim) {
    synchronized (releasing) {
      releasing.putIfAbsent(claim, nanoTime.getAsLong());
    }
  }

  /** Nothing is held or prepared for it any more; also of claims that nobody here releases. */
  public void left(ClaimUid claim) {
    Long began;
    synchronized (releasing) {
      began = releasing.remove(claim);
    }
    if (began != null) {
      releases.update(Duration.ofNanos(nanoTime.getAsLong() - began));
    }
  }
}
