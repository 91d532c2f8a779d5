package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MetricsExportTest {

  private final MetricRegistry metrics = new MetricRegistry();
  private final MetricsExport export = new MetricsExport(metrics);

  @Test
  void whatVariesIsALabelOfOneMetric() {
    metrics.counter("api.calls.GET.200").inc(3);
    metrics.counter("api.calls.PUT.409").inc();
    metrics.counter("driver.refused.allInUse").inc();

    assertThat(export.get().text())
        .contains("gpudra_api_calls_total{code=\"200\",method=\"GET\"} 3.0")
        .contains("gpudra_api_calls_total{code=\"409\",method=\"PUT\"} 1.0")
        .containsOnlyOnce("# TYPE gpudra_api_calls_total ")
        .contains("gpudra_refusals_total{reason=\"allInUse\"} 1.0");
  }

  @Test
  void metersAreCountersThatExistAtZero() {
    metrics.meter("loop.claims.done").mark();
    metrics.meter("loop.claims.failed");
    metrics.meter("loop.contexts.done");

    assertThat(export.get().text())
        .contains("gpudra_loop_outcomes_total{loop=\"claims\",outcome=\"done\"} 1.0")
        .contains("gpudra_loop_outcomes_total{loop=\"claims\",outcome=\"failed\"} 0.0")
        .contains("gpudra_loop_outcomes_total{loop=\"contexts\",outcome=\"done\"} 0.0")
        .containsOnlyOnce("# TYPE gpudra_loop_outcomes_total ");
  }

  @Test
  void gaugesAndTimersAreThere() {
    metrics.register("election.leading", (Gauge<Integer>) () -> 1);
    metrics.timer("loop.claims.latency").update(2, TimeUnit.SECONDS);

    assertThat(export.get().text())
        .contains("gpudra_leading 1.0")
        .contains("gpudra_loop_latency_seconds{loop=\"claims\",quantile=\"0.5\"} 2.0")
        .contains("gpudra_loop_latency_seconds_count{loop=\"claims\"} 1")
        .contains("jvm_memory_heap_used");
  }

  @Test
  void anUnknownMetricKeepsItsName() {
    metrics.counter("some.new-thing").inc(2);

    assertThat(export.get().text()).contains("some_new_thing_total 2.0");
  }

  @Test
  void thePageHasTheTypePrometheusExpects() {
    assertThat(export.get().contentType()).startsWith("text/plain; version=0.0.4");
  }
}
