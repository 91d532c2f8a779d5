package io.gpudra.kubeletplugin.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.codahale.metrics.MetricFilter;
import com.codahale.metrics.MetricRegistry;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.dropwizard.DropwizardExports;
import io.prometheus.metrics.instrumentation.dropwizard5.labels.CustomLabelMapper;
import io.prometheus.metrics.instrumentation.dropwizard5.labels.MapperConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.Stream;

/** The registry as Prometheus reads it; outcomes become a label. */
final class MetricsText {

  private static final CustomLabelMapper LABELS =
      new CustomLabelMapper(
          Stream.of("prepare", "unprepare", "publish").map(MetricsText::outcome).toList());

  private final DropwizardExports exports;

  MetricsText(MetricRegistry metrics) {
    this.exports = new DropwizardExports(metrics, MetricFilter.ALL, LABELS);
  }

  private static MapperConfig outcome(String of) {
    String name = "gpudra.plugin." + of;
    return new MapperConfig(name + ".outcome.*", name, Map.of("outcome", "${0}"));
  }

  String text() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create()
          .write(text, exports.collect(), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString(UTF_8);
  }
}
