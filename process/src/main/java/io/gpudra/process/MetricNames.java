package io.gpudra.process;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maps Dropwizard's dotted names to those of Prometheus: the parts that vary within one kind of
 * metric become labels.
 *
 * @param rules the first rule that matches a name applies
 */
public record MetricNames(ImmutableList<Rule> rules) {

  /** The name of a metric in Prometheus. */
  record Name(String name, Labels labels) {}

  /** The rule for one kind of metric; created by {@link #of}. */
  public record Rule(Pattern pattern, String name, ImmutableList<String> labels) {

    /**
     * A rule.
     *
     * @param glob dotted name, with a {@code *} for each part that varies; the last part may be a
     *     {@code **}, which matches dots, too
     * @param name the name in Prometheus
     * @param labels the names of the parts that vary, with commas between them
     */
    public static Rule of(String glob, String name, String labels) {
      String[] literals = glob.replace("**", "*").split("[*]", -1);
      StringBuilder pattern = new StringBuilder(Pattern.quote(literals[0]));
      for (int i = 1; i < literals.length; i++) {
        boolean dotted = i == literals.length - 1 && glob.endsWith("**");
        pattern.append(dotted ? "(.+)" : "([^.]+)").append(Pattern.quote(literals[i]));
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

  /** The name of a Dropwizard metric; without a matching rule it is kept, without labels. */
  Name of(String dotted) {
    return rules.stream()
        .flatMap(rule -> rule.apply(dotted).stream())
        .findFirst()
        .orElseGet(
            () ->
                new Name(
                    PrometheusNaming.sanitizeMetricName(dotted.replace('.', '_').replace('-', '_')),
                    Labels.EMPTY));
  }
}
