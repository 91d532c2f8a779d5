package io.gpudra.controller.app;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What varies within one kind of metric becomes a label: {@code loop.claims.depth} and so on. */
final class MetricNames {

  private static final ImmutableList<Rule> RULES =
      ImmutableList.of(
          Rule.of("api.calls.*.*", "gpudra_api_calls", "method,code"),
          Rule.of("driver.refused.*", "gpudra_refusals", "reason"),
          Rule.of("watch.*.*", "gpudra_watch", "event,resource"),
          Rule.of("loop.*.depth", "gpudra_loop_depth", "loop"),
          Rule.of("loop.*.delayed", "gpudra_loop_delayed", "loop"),
          Rule.of("loop.*.failing", "gpudra_loop_failing", "loop"),
          Rule.of("loop.*.oldestRunningSeconds", "gpudra_loop_oldest_running_seconds", "loop"),
          Rule.of("loop.*.latency", "gpudra_loop_latency_seconds", "loop"),
          Rule.of("loop.*.*", "gpudra_loop_outcomes", "loop,outcome"),
          Rule.of("events.*", "gpudra_events", "outcome"),
          Rule.of("alerts.*", "gpudra_alerts", "kind"),
          Rule.of("findings.*", "gpudra_findings", "kind"),
          Rule.of("entries.*", "gpudra_entries", "of"),
          Rule.of("devices.*", "gpudra_devices", "state"),
          Rule.of("nodes.*", "gpudra_nodes", "state"),
          Rule.of("election.leading", "gpudra_leading", ""),
          Rule.of("election.failures", "gpudra_election_failures", ""));

  private MetricNames() {}

  /** How Prometheus knows a metric. */
  record Name(String name, Labels labels) {}

  private record Rule(Pattern pattern, String name, ImmutableList<String> labels) {

    static Rule of(String glob, String name, String labels) {
      String[] literals = glob.split("[*]", -1);
      StringBuilder pattern = new StringBuilder(Pattern.quote(literals[0]));
      for (int i = 1; i < literals.length; i++) {
        pattern.append("([^.]+)").append(Pattern.quote(literals[i]));
      }
      return new Rule(
          Pattern.compile(pattern.toString()),
          name,
          ImmutableList.copyOf(Splitter.on(',').omitEmptyStrings().split(labels)));
    }

    Optional<Name> apply(String dotted) {
      Matcher matcher = pattern.matcher(dotted);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      ImmutableMap.Builder<String, String> values = ImmutableMap.builder();
      for (int i = 0; i < labels.size(); i++) {
        values.put(labels.get(i), matcher.group(i + 1));
      }
      ImmutableMap<String, String> all = values.buildOrThrow();
      return Optional.of(new Name(name, Labels.of(labels, all.values().asList())));
    }
  }

  /** Of a Dropwizard name; one that no rule knows keeps it, without labels. */
  static Name of(String dotted) {
    return RULES.stream()
        .flatMap(rule -> rule.apply(dotted).stream())
        .findFirst()
        .orElseGet(
            () ->
                new Name(
                    PrometheusNaming.sanitizeMetricName(dotted.replace('.', '_').replace('-', '_')),
                    Labels.EMPTY));
  }
}
