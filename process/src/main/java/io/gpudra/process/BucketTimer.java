package io.gpudra.process;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.UniformSnapshot;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;

/**
 * A timer that counts in buckets of fixed bounds: unlike quantiles, those of several processes can
 * be added up. It has no quantiles.
 */
public final class BucketTimer extends Timer {
  private static final double NANOS = 1e9;

  /** Seconds: from a cache lookup to a call that times out. */
  private static final double[] WORK = {
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
  };

  /** Seconds: from a delay too short to notice up to a whole day. */
  private static final double[] WAITING = {
    0.05, 0.25, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400
  };

  private final Buckets buckets;

  private BucketTimer(Buckets buckets, Clock clock) {
    super(buckets, clock);
    this.buckets = buckets;
  }

  /** Times the program's own work. */
  public static BucketTimer ofWork(Clock clock) {
    return new BucketTimer(Buckets.of(WORK), clock);
  }

  /** Times the program's own work, by the system's clock. */
  public static BucketTimer ofWork() {
    return ofWork(Clock.defaultClock());
  }

  /** Times the waits of users. */
  public static BucketTimer ofWaiting() {
    return new BucketTimer(Buckets.of(WAITING), Clock.defaultClock());
  }

  HistogramDataPointSnapshot buckets() {
    return buckets.histogram().collect().getDataPoints().get(0);
  }

  /** Receives each duration, however it was measured. */
  private record Buckets(Histogram histogram) implements Reservoir {

    /** The histogram has no name here; the page of metrics names it. */
    static Buckets of(double[] upperBounds) {
      return new Buckets(
          Histogram.builder()
              .name("unnamed")
              .classicOnly()
              .classicUpperBounds(upperBounds)
              .withoutExemplars()
              .build());
    }

    @Override
    public int size() {
      return 0;
    }

    @Override
    public void update(long nanos) {
      histogram.observe(nanos / NANOS);
    }

    @Override
    public Snapshot getSnapshot() {
      return new UniformSnapshot(new long[0]);
    }
  }
}
