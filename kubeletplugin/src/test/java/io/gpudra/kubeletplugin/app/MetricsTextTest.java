package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jvm.MemoryUsageGaugeSet;
import org.junit.jupiter.api.Test;

class MetricsTextTest {

  @Test
  void showsOutcomesAsALabelAndFromTheStart() {
    MetricRegistry metrics = new MetricRegistry();
    metrics.meter("gpudra.plugin.prepare.outcome.ready").mark(3);
    metrics.meter("gpudra.plugin.prepare.outcome.busy");
    metrics.registerGauge("gpudra.plugin.gpus", (Gauge<Number>) () -> 8);
    metrics.timer("gpudra.plugin.prepare.duration");
    metrics.registerAll("jvm.memory", new MemoryUsageGaugeSet());

    assertThat(new MetricsText(metrics).text().lines())
        .contains(
            "gpudra_plugin_prepare_total{outcome=\"ready\"} 3.0",
            "gpudra_plugin_prepare_total{outcome=\"busy\"} 0.0",
            "gpudra_plugin_gpus 8.0")
        .anyMatch(line -> line.startsWith("jvm_memory_heap_used "))
        .anyMatch(line -> line.startsWith("gpudra_plugin_prepare_duration"));
  }
}
