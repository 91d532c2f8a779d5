package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.process.MetricNames.Rule;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MetricsPageTest {

  private final MetricRegistry metrics = new MetricRegistry();
  private final MetricsPage page =
      new MetricsPage(
          metrics,
          new MetricNames(
              ImmutableList.of(
                  Rule.of("api.calls.*.*", "calls", "method,code"),
                  Rule.of("loop.*.latency", "latency_seconds", "loop"),
                  Rule.of("loop.*.*", "outcomes", "loop,outcome"),
                  Rule.of("waits.*.**", "waits", "mode,class"),
                  Rule.of("election.leading", "leading", ""))));

  private String text() {
    return page.answer(ImmutableMap.of()).text();
  }

  @Test
  void threadsAreCountedWithoutALookForDeadlocks() {
    assertThat(text()).contains("jvm_threads_count ");
    assertThat(metrics.getNames()).noneMatch(name -> name.contains("deadlock"));
  }

  @Test
  void whatVariesIsALabelOfOneMetric() {
    metrics.counter("api.calls.GET.200").inc(3);
    metrics.counter("api.calls.PUT.409").inc();

    assertThat(text())
        .contains("calls_total{code=\"200\",method=\"GET\"} 3.0")
        .contains("calls_total{code=\"409\",method=\"PUT\"} 1.0")
        .containsOnlyOnce("# TYPE calls_total ");
  }

  @Test
  void theLastOfWhatVariesMayHaveDots() {
    metrics.counter("waits.delayed.gpu.example.com").inc();

    assertThat(text()).contains("waits_total{class=\"gpu.example.com\",mode=\"delayed\"} 1.0");
  }

  @Test
  void metersAreCountersThatExistAtZero() {
    metrics.meter("loop.claims.done").mark();
    metrics.meter("loop.claims.failed");
    metrics.meter("loop.contexts.done");

    assertThat(text())
        .contains("outcomes_total{loop=\"claims\",outcome=\"done\"} 1.0")
        .contains("outcomes_total{loop=\"claims\",outcome=\"failed\"} 0.0")
        .contains("outcomes_total{loop=\"contexts\",outcome=\"done\"} 0.0")
        .containsOnlyOnce("# TYPE outcomes_total ");
  }

  @Test
  void gaugesAndTimersAreThere() {
    metrics.register("election.leading", (Gauge<Integer>) () -> 1);
    metrics.timer("loop.claims.latency", BucketTimer::ofWork).update(2, TimeUnit.SECONDS);
    Timer unused = metrics.timer("loop.contexts.latency", BucketTimer::ofWork);

    assertThat(text())
        .contains("leading 1.0")
        .containsOnlyOnce("# TYPE latency_seconds histogram")
        .contains("latency_seconds_bucket{loop=\"claims\",le=\"1.0\"} 0")
        .contains("latency_seconds_bucket{loop=\"claims\",le=\"2.5\"} 1")
        .contains("latency_seconds_count{loop=\"claims\"} 1")
        .contains("latency_seconds_sum{loop=\"claims\"} 2.0")
        .contains("latency_seconds_count{loop=\"contexts\"} 0")
        .contains("jvm_memory_heap_used");
  }

  @Test
  void aTallyIsOneGaugeWithItsLabels() {
    LabelledCounter labelledCounter = new LabelledCounter("model", "state");
    labelledCounter.add(3, "T4 \"new\"", "free");
    labelledCounter.add(0, "T4 \"new\"", "stale");
    metrics.register("gpus", (Gauge<LabelledCounter.Table>) labelledCounter::table);

    assertThat(text())
        .containsOnlyOnce("# TYPE gpus gauge")
        .contains("gpus{model=\"T4 \\\"new\\\"\",state=\"free\"} 3.0")
        .contains("gpus{model=\"T4 \\\"new\\\"\",state=\"stale\"} 0.0");
  }

  @Test
  void totalsAreOneCounterWithItsLabels() {
    LabelledTotals totals =
        new LabelledTotals(
            ImmutableList.of("namespace", "model"),
            ImmutableMap.of(
                ImmutableList.of("team-a", "T4"), 2.5, ImmutableList.of("team-b", "T4"), 0.0));
    metrics.register("gpu.seconds", (LabelledTotals.Source) () -> totals);

    assertThat(text())
        .containsOnlyOnce("# TYPE gpu_seconds_total counter")
        .contains("gpu_seconds_total{model=\"T4\",namespace=\"team-a\"} 2.5")
        .contains("gpu_seconds_total{model=\"T4\",namespace=\"team-b\"} 0.0");
  }

  @Test
  void aGaugeOfTextIsForPeople() {
    metrics.register("motto", (Gauge<String>) () -> "onward");

    assertThat(text()).doesNotContain("motto");
  }

  @Test
  void anUnknownMetricKeepsItsName() {
    metrics.counter("some.new-thing").inc(2);

    assertThat(text()).contains("some_new_thing_total 2.0");
  }

  @Test
  void thePageHasTheTypePrometheusExpects() {
    assertThat(page.answer(ImmutableMap.of()).type()).startsWith("text/plain; version=0.0.4");
  }
}
