package io.gpudra.process;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.codahale.metrics.jvm.GarbageCollectorMetricSet;
import com.codahale.metrics.jvm.MemoryUsageGaugeSet;
import com.codahale.metrics.jvm.ThreadStatesGaugeSet;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Shows a metric registry to Prometheus: counters, meters, {@link LabelledTotals}, gauges of
 * numbers and of {@link LabelledCounter.Table}s, and {@link BucketTimer}s, since no other timer can
 * be added up. DropwizardExports 1.4.3 is not used: it rejects the whole page when two metrics
 * share a name and differ in labels, which is the purpose of labels.
 */
public final class MetricsPage implements HttpPage {

  private final MetricRegistry metrics;
  private final MetricNames names;
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

  /** Adds the JVM's metrics to the registry. */
  public MetricsPage(MetricRegistry metrics, MetricNames names) {
    this.metrics = metrics;
    this.names = names;
    metrics.registerAll("jvm.memory", new MemoryUsageGaugeSet());
    metrics.registerAll("jvm.gc", new GarbageCollectorMetricSet());
    metrics.registerAll("jvm.threads", MetricsPage::threads);
  }

  /** The metrics of threads, without those of deadlocks, which stop all threads for the search. */
  private static Map<String, Metric> threads() {
    return Maps.filterKeys(
        new ThreadStatesGaugeSet().getMetrics(), name -> !name.startsWith("deadlock"));
  }

  @Override
  public PageContent.Text answer(ImmutableMap<String, String> query) {
    List<MetricSnapshot> all =
        Stream.of(counters().values(), gauges().values(), timers().values())
            .flatMap(builders -> builders.stream().map(MetricSnapshot.Builder::build))
            .map(MetricSnapshot.class::cast)
            .toList();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      writer.write(text, new MetricSnapshots(all));
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return new PageContent.Text(
        200, writer.getContentType(), text.toString(StandardCharsets.UTF_8));
  }

  private Map<String, CounterSnapshot.Builder> counters() {
    Map<String, CounterSnapshot.Builder> byName = new TreeMap<>();
    metrics.getCounters().forEach((name, counter) -> count(byName, name, counter.getCount()));
    metrics.getMeters().forEach((name, meter) -> count(byName, name, meter.getCount()));
    metrics
        .getGauges((name, gauge) -> gauge instanceof LabelledTotals.Source)
        .forEach((name, source) -> count(byName, name, (LabelledTotals) source.getValue()));
    return byName;
  }

  private void count(Map<String, CounterSnapshot.Builder> byName, String dotted, long value) {
    MetricNames.Name name = names.of(dotted);
    count(byName, name.name(), name.labels(), (double) value);
  }

  private void count(
      Map<String, CounterSnapshot.Builder> byName, String dotted, LabelledTotals sums) {
    MetricNames.Name name = names.of(dotted);
    sums.totals()
        .forEach(
            (values, total) -> count(byName, name.name(), Labels.of(sums.labels(), values), total));
  }

  private static void count(
      Map<String, CounterSnapshot.Builder> byName, String name, Labels labels, double value) {
    byName
        .computeIfAbsent(name, n -> CounterSnapshot.builder().name(n))
        .dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(value).build());
  }

  private Map<String, GaugeSnapshot.Builder> gauges() {
    Map<String, GaugeSnapshot.Builder> byName = new TreeMap<>();
    metrics.getGauges().forEach((name, gauge) -> gauge(byName, name, gauge));
    return byName;
  }

  /** Shows numbers and tables; a gauge of anything else is for people. */
  private void gauge(Map<String, GaugeSnapshot.Builder> byName, String dotted, Gauge<?> gauge) {
    Object value = gauge.getValue();
    MetricNames.Name name = names.of(dotted);
    if (value instanceof Number number) {
      gauge(byName, name.name(), name.labels(), number);
    } else if (value instanceof LabelledCounter.Table table) {
      table
          .counts()
          .forEach(
              (values, count) ->
                  gauge(byName, name.name(), Labels.of(table.labels(), values), count));
    }
  }

  private static void gauge(
      Map<String, GaugeSnapshot.Builder> byName, String name, Labels labels, Number value) {
    byName
        .computeIfAbsent(name, n -> GaugeSnapshot.builder().name(n))
        .dataPoint(
            GaugeDataPointSnapshot.builder().labels(labels).value(value.doubleValue()).build());
  }

  private Map<String, HistogramSnapshot.Builder> timers() {
    Map<String, HistogramSnapshot.Builder> byName = new TreeMap<>();
    metrics.getTimers().forEach((name, timer) -> timer(byName, name, timer));
    return byName;
  }

  private void timer(Map<String, HistogramSnapshot.Builder> byName, String dotted, Timer timer) {
    if (timer instanceof BucketTimer buckets) {
      MetricNames.Name name = names.of(dotted);
      HistogramDataPointSnapshot counted = buckets.buckets();
      byName
          .computeIfAbsent(name.name(), n -> HistogramSnapshot.builder().name(n))
          .dataPoint(
              HistogramDataPointSnapshot.builder()
                  .labels(name.labels())
                  .classicHistogramBuckets(counted.getClassicBuckets())
                  .sum(counted.getSum())
                  .build());
    }
  }
}
