package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableMap;
import io.gpudra.process.MetricsPage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControllerMetricsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "api.calls.GET.200 | gpudra_api_calls_total{code=\"200\",method=\"GET\"}",
        "driver.refused.allInUse | gpudra_refusals_total{reason=\"allInUse\"}",
        "loop.claims.done | gpudra_loop_outcomes_total{loop=\"claims\",outcome=\"done\"}",
        "election.failures | gpudra_election_failures_total",
      })
  void whatVariesIsALabel(String dotted, String shown) {
    MetricRegistry metrics = new MetricRegistry();
    metrics.meter(dotted).mark(3);

    assertThat(new MetricsPage(metrics, ControllerMetrics.NAMES).answer(ImmutableMap.of()).text())
        .contains("\n" + shown + " 3.0\n");
  }
}
