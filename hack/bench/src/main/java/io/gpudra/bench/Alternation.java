package io.gpudra.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Change;
import io.gpudra.bench.figure.Change.Aim;
import io.gpudra.bench.figure.Sample;
import io.gpudra.bench.process.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures two checkouts in alternation, each with its own {@code hack/bench/run}.
 *
 * @param names of the benchmarks
 * @param directory for reports and logs
 */
record Alternation(ImmutableList<String> names, Path directory) {
  private static final int ROUNDS = 5;

  /** What it exits with, the second if a budget does not hold. */
  private static final ImmutableList<Integer> MEASURED = ImmutableList.of(0, 1);

  private static final JsonMapper JSON = new JsonMapper();

  /** Figures with a budget are to become smaller, or at least not larger; others are shown. */
  ImmutableList<Change> measure(Path before, Path after) throws IOException, InterruptedException {
    List<Map<String, JsonNode>> earlier = new ArrayList<>();
    List<Map<String, JsonNode>> later = new ArrayList<>();
    for (int round = 1; round <= ROUNDS; round++) {
      System.err.println("round %d of %d".formatted(round, ROUNDS));
      earlier.add(measure(before, "before-" + round));
      later.add(measure(after, "after-" + round));
    }
    return later.get(0).keySet().stream()
        .filter(earlier.get(0)::containsKey)
        .map(what -> change(what, earlier, later))
        .collect(ImmutableList.toImmutableList());
  }

  private static Change change(
      String what, List<Map<String, JsonNode>> earlier, List<Map<String, JsonNode>> later) {
    JsonNode figure = figure(later.get(0), what);
    Aim aim = figure.has("budget") ? Aim.LESS : Aim.NONE;
    return new Change(
        what, figure.path("unit").asText(), aim, sample(earlier, what), sample(later, what));
  }

  private static Sample sample(List<Map<String, JsonNode>> rounds, String what) {
    Sample sample = new Sample();
    rounds.forEach(round -> sample.add(figure(round, what).path("measured").asDouble()));
    return sample;
  }

  private static JsonNode figure(Map<String, JsonNode> round, String what) {
    return round.getOrDefault(what, MissingNode.getInstance());
  }

  /** The figures of a checkout, by their names. */
  private Map<String, JsonNode> measure(Path checkout, String name)
      throws IOException, InterruptedException {
    Path report = directory.resolve(name + ".json").toAbsolutePath();
    Path log = directory.resolve(name + ".log");
    Files.deleteIfExists(report);
    ImmutableList<String> command =
        Stream.concat(
                Stream.of(checkout.resolve("hack/bench/run").toAbsolutePath(), "--json", report),
                names.stream().flatMap(one -> Stream.of("--only", one)))
            .map(Object::toString)
            .collect(ImmutableList.toImmutableList());
    try (Subprocess run = Subprocess.start(command, log)) {
      int code = run.exitCode();
      if (!MEASURED.contains(code)) {
        throw new IOException("%s: exit code %d, see %s".formatted(checkout, code, log));
      }
    }
    return byName(JSON.readTree(report.toFile()).path("figures"));
  }

  /** Where a benchmark has several figures of one name, they are told apart by their order. */
  private static Map<String, JsonNode> byName(JsonNode figures) {
    Map<String, JsonNode> named = new LinkedHashMap<>();
    for (JsonNode figure : figures) {
      String name = figure.path("benchmark").asText() + ": " + figure.path("figure").asText();
      String unique = name;
      for (int i = 2; named.containsKey(unique); i++) {
        unique = "%s (%d)".formatted(name, i);
      }
      named.put(unique, figure);
    }
    return named;
  }
}
