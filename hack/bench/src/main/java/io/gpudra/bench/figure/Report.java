package io.gpudra.bench.figure;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableListMultimap;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All figures of a run.
 *
 * @param machine what it was measured on
 * @param figures by the name of the benchmark
 */
public record Report(String machine, Instant at, ImmutableListMultimap<String, Figure> figures) {

  private static final JsonMapper JSON = new JsonMapper();

  /** Whether every budget holds. */
  public boolean held() {
    return figures.values().stream().allMatch(Figure::held);
  }

  /** For people, as Markdown. */
  public String table() {
    String head = "| benchmark | figure | measured | budget | held |\n|---|---|---:|---:|---|\n";
    return figures.entries().stream()
        .map(entry -> row(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("", machine + ", " + at + "\n\n" + head, ""));
  }

  private static String row(String benchmark, Figure figure) {
    boolean promised = figure.budget().isPresent();
    return "| %s | %s | %s | %s | %s |\n"
        .formatted(
            benchmark,
            figure.what(),
            withUnit(number(figure.value()), figure),
            promised ? "≤ " + withUnit(budget(figure), figure) : "",
            promised ? answer(figure.held()) : "");
  }

  static String answer(boolean held) {
    return held ? "yes" : "**no**";
  }

  private static String withUnit(String number, Figure figure) {
    return figure.unit().isEmpty() ? number : number + " " + figure.unit();
  }

  private static String budget(Figure figure) {
    return "%s".formatted(figure.budget().getAsDouble()).replaceFirst("\\.0$", "");
  }

  /** Three significant digits, or all before the point. */
  static String number(double value) {
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** For programs. */
  public String json() {
    ObjectNode report = JSON.createObjectNode();
    report.put("machine", machine).put("at", at.toString()).put("held", held());
    ArrayNode all = report.putArray("figures");
    for (Map.Entry<String, Figure> entry : figures.entries()) {
      Figure figure = entry.getValue();
      ObjectNode one = all.addObject();
      one.put("benchmark", entry.getKey()).put("figure", figure.what());
      one.put("measured", figure.value()).put("unit", figure.unit());
      figure.budget().ifPresent(most -> one.put("budget", most).put("held", figure.held()));
    }
    return report.toPrettyString() + "\n";
  }
}
