package io.gpudra.controller.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Clock;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.MetricNames;
import io.gpudra.process.MetricsPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PassTimeTest {
  private final MetricRegistry metrics = new MetricRegistry();
  private final Ticks ticks = new Ticks();
  private final WorkQueue queue = new WorkQueue(ticks::getTick);
  private final List<Object> busy = new ArrayList<>();

  private static final class Ticks extends Clock {
    private long now;

    @Override
    public long getTick() {
      return now;
    }
  }

  private ReconcileResult work(ObjectKey key) {
    ticks.now += Duration.ofMillis(7).toNanos();
    busy.add(metrics.gauge("loop.test.busy").getValue());
    if (key.name().equals("broken")) {
      throw new IllegalStateException("fails after a while");
    }
    return ReconcileResult.done();
  }

  @Test
  void everyPassIsTimedAndItsWorkerIsBusyMeanwhile() {
    Timer unused = metrics.timer("loop.test.latency", () -> BucketTimer.ofWork(ticks));
    WorkLoop loop = new WorkLoop("test", queue, this::work, metrics);
    queue.add(new ObjectKey("ns", "a"));
    queue.add(new ObjectKey("ns", "broken"));
    while (loop.runOnce()) {}
    busy.add(metrics.gauge("loop.test.busy").getValue());

    assertThat(busy).containsExactly(1, 1, 0);
    assertThat(
            new MetricsPage(metrics, new MetricNames(ImmutableList.of()))
                .answer(ImmutableMap.of())
                .text())
        .contains("loop_test_latency_bucket{le=\"0.005\"} 0\n")
        .contains("loop_test_latency_bucket{le=\"0.01\"} 2\n")
        .contains("loop_test_latency_count 2\n");
  }
}
