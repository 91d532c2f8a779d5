package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
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
                  Rule.of("election.leading", "leading", ""))));

  private String text() {
    return page.answer(ImmutableMap.of()).text();
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
    metrics.timer("loop.claims.latency").update(2, TimeUnit.SECONDS);

    assertThat(text())
        .contains("leading 1.0")
        .contains("latency_seconds{loop=\"claims\",quantile=\"0.5\"} 2.0")
        .contains("latency_seconds_count{loop=\"claims\"} 1")
        .contains("jvm_memory_heap_used");
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
