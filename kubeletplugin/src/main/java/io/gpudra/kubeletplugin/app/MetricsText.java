package io.gpudra.kubeletplugin.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.codahale.metrics.MetricRegistry;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.dropwizard.DropwizardExports;
import io.prometheus.metrics.instrumentation.dropwizard5.labels.CustomLabelMapper;
import io.prometheus.metrics.instrumentation.dropwizard5.labels.MapperConfig;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The registry as Prometheus reads it; outcomes become a label. */
record MetricsText(MetricRegistry metrics) {

  private static final CustomLabelMapper LABELS =
      new CustomLabelMapper(
          Stream.of("prepare", "unprepare", "publish").map(MetricsText::outcome).toList());

  private static MapperConfig outcome(String of) {
    String name = "gpudra.plugin." + of;
    return new MapperConfig(name + ".outcome.*", name, Map.of("outcome", "${0}"));
  }

  String text() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create()
          .write(text, snapshots(), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString(UTF_8);
  }

  /**
   * Asks the bridge for one metric at a time: it gives each outcome a snapshot of the same name,
   * and refuses to put two of them into one answer.
   */
  private MetricSnapshots snapshots() {
    Map<String, MetricSnapshot> byName = new TreeMap<>();
    for (String name : metrics.getNames()) {
      new DropwizardExports(metrics, (other, metric) -> other.equals(name), LABELS)
          .collect()
          .forEach(s -> byName.merge(s.getMetadata().getPrometheusName(), s, MetricsText::join));
    }
    return new MetricSnapshots(byName.values());
  }

  private static MetricSnapshot join(MetricSnapshot one, MetricSnapshot other) {
    return new CounterSnapshot(
        one.getMetadata(),
        Stream.of(one, other)
            .flatMap(snapshot -> snapshot.getDataPoints().stream())
            .map(CounterDataPointSnapshot.class::cast)
            .toList());
  }
}
