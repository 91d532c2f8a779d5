package io.gpudra.controller.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.base.Ascii;
import com.google.common.collect.Comparators;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.LabelValues;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Measures waiting times: {@code grant.wait.<mode>.<namespace>.<class>} from the request for
 * devices to their allocation, {@code group.wait.<size>} from the creation of the youngest member
 * of a group until all have devices, {@code release} from the decision to deallocate a claim until
 * none of its devices is allocated or prepared for it. Passes all other reports on.
 */
public final class WaitTimers implements ReportSink {
  /** The maximum number of measurements; the oldest is dropped for a new one. */
  static final int MAX = 10_000;

  /** The maximum that a timer can count. */
  private static final Duration MAX_WAIT = Duration.ofNanos(Long.MAX_VALUE);

  private final ReportSink reports;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final MetricRegistry metrics;
  private final LabelValues namespaces = new LabelValues();
  private final LabelValues classes = new LabelValues();
  private final Timer releases;

  /** The time when the release of a claim began; guarded by itself. */
  private final Map<ClaimUid, Long> releasing =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ClaimUid, Long> oldest) {
          return size() > MAX;
        }
      };

  /**
   * @param reports receives all other reports
   * @param clock estimate of the API server's clock, which sets creation times
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public WaitTimers(
      ReportSink reports, Clock clock, LongSupplier nanoTime, MetricRegistry metrics) {
    this.reports = reports;
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
    reports.warn(warning);
  }

  @Override
  public void warnOfNode(String node, Warning warning) {
    reports.warnOfNode(node, warning);
  }

  @Override
  public void note(Warning event) {
    reports.note(event);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {
    reports.refused(kind);
  }

  /** The time may be negative, since clocks of two machines differ. */
  @Override
  public void granted(Mode mode, ClaimFacts claim, Instant asked) {
    waited(Ascii.toLowerCase(mode.name()), claim, asked);
  }

  @Override
  public void grantedAtGate(ClaimFacts claim, Instant created) {
    waited("gated", claim, created);
  }

  @Override
  public void groupStarted(String size, Instant created) {
    waited(metrics.timer("group.wait." + size, BucketTimer::ofWaiting), created);
  }

  private void waited(String mode, ClaimFacts claim, Instant asked) {
    waited(waits(mode, claim), asked);
  }

  private void waited(Timer timer, Instant asked) {
    Duration waited = Comparators.min(Duration.between(asked, clock.instant()), MAX_WAIT);
    timer.update(waited.isNegative() ? Duration.ZERO : waited);
  }

  private Timer waits(String mode, ClaimFacts claim) {
    String name =
        "grant.wait.%s.%s.%s"
            .formatted(mode, namespaces.of(claim.ref().namespace()), classes.of(claim.className()));
    return metrics.timer(name, BucketTimer::ofWaiting);
  }

  @Override
  public void releasing(ClaimUid claim) {
    synchronized (releasing) {
      releasing.putIfAbsent(claim, nanoTime.getAsLong());
    }
  }

  /** A claim no longer holds devices; also called for claims that were not released here. */
  public void holdsGone(ClaimUid claim) {
    Long began;
    synchronized (releasing) {
      began = releasing.remove(claim);
    }
    if (began != null) {
      releases.update(Duration.ofNanos(nanoTime.getAsLong() - began));
    }
  }
}
