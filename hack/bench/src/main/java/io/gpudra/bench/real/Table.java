package io.gpudra.bench.real;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.gpudra.bench.figure.Change;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Compares the drivers on each workload: medians of all rounds, and the range of the speed. */
@Command(
    name = "table",
    description = {
      "Prints results as Markdown.",
      "Exits 1 when a driver is worse than the one before by more than its spread or 10 %%."
    })
final class Table implements Callable<Integer> {
  /** Runs of earlier versions have fewer figures. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY))
          .build();

  @Parameters(arity = "1..*", paramLabel = "RESULT", description = "files that runs left")
  private List<Path> files = List.of();

  @Override
  public Integer call() {
    List<Result> results = files.stream().map(Table::read).toList();
    ImmutableListMultimap<String, Change> changes = BeforeAfter.of(results);
    System.out.print(of(results));
    changes
        .asMap()
        .forEach((workload, all) -> System.out.print("\n" + Change.table(workload, all)));
    return changes.values().stream().allMatch(Change::held) ? 0 : 1;
  }

  private static Result read(Path file) {
    try {
      return JSON.readValue(file.toFile(), Result.class);
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }

  static String of(List<Result> results) {
    Map<String, List<Result>> byWorkload =
        results.stream()
            .collect(Collectors.groupingBy(Result::workload, TreeMap::new, Collectors.toList()));
    return byWorkload.entrySet().stream()
        .map(entry -> section(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("\n"));
  }

  private static String section(String workload, List<Result> results) {
    ImmutableList<Runs> drivers =
        Stream.of(Contender.values())
            .map(driver -> new Runs(driver, results))
            .filter(runs -> !runs.results().isEmpty())
            .collect(ImmutableList.toImmutableList());
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    lines.add(cells(workload, drivers.stream().map(Runs::title)));
    lines.add("|---|" + "---:|".repeat(drivers.size()));
    lines.add(cells("pods per second", drivers.stream().map(Runs::speed)));
    if (results.stream().anyMatch(result -> result.neverBound() > 0)) {
      lines.add(cells("pods never bound", drivers.stream().map(Runs::neverBound)));
    }
    lines.add(row("create to bound, p50, s", drivers, Result::latencyP50Seconds));
    lines.add(row("create to bound, p99, s", drivers, Result::latencyP99Seconds));
    lines.add(row("API calls of the driver per pod", drivers, Result::driverCalls));
    lines.add(row("API calls of all per pod", drivers, Result::calls));
    lines.add(row("pods with a scheduling context, %", drivers, Result::percentWithContext));
    lines.addAll(rows("from a complete group to its %s, s", drivers, Result::groupSeconds));
    lines.addAll(rows("· %s", drivers, Result::callsPerPod));
    lines.add(row("CPU of everything, s", drivers, Result::cpu));
    lines.addAll(rows("· %s", drivers, Result::cpuSeconds));
    lines.addAll(rows("peak memory of %s, MiB", drivers, Result::peakMemoryMiB));
    return String.join("\n", lines.build()) + "\n";
  }

  /** All rounds of one driver on one workload. */
  private record Runs(Contender driver, ImmutableList<Result> results) {
    Runs(Contender driver, List<Result> all) {
      this(
          driver,
          all.stream()
              .filter(result -> result.driver() == driver)
              .collect(ImmutableList.toImmutableList()));
    }

    String title() {
      return driver.name().toLowerCase(Locale.ROOT);
    }

    String speed() {
      return "%s (%s)"
          .formatted(
              median(Result::podsPerSecond),
              results.stream()
                  .map(result -> number(result.podsPerSecond()))
                  .collect(Collectors.joining(", ")));
    }

    String neverBound() {
      return results.stream()
          .map(result -> Integer.toString(result.neverBound()))
          .collect(Collectors.joining(", "));
    }

    String median(ToDoubleFunction<Result> figure) {
      double[] sorted = results.stream().mapToDouble(figure).sorted().toArray();
      int middle = sorted.length / 2;
      return number(
          sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }
  }

  /** A row for each key of a map in any result. */
  private static ImmutableList<String> rows(
      String title, List<Runs> drivers, Function<Result, Map<String, Double>> figures) {
    return drivers.stream()
        .flatMap(runs -> runs.results().stream())
        .flatMap(result -> figures.apply(result).keySet().stream())
        .distinct()
        .sorted()
        .map(
            key ->
                row(
                    title.formatted(key),
                    drivers,
                    result -> figures.apply(result).getOrDefault(key, 0.0)))
        .collect(ImmutableList.toImmutableList());
  }

  private static String row(String title, List<Runs> drivers, ToDoubleFunction<Result> figure) {
    return cells(title, drivers.stream().map(runs -> runs.median(figure)));
  }

  private static String cells(String title, Stream<String> cells) {
    return "| %s | %s |".formatted(title, cells.collect(Collectors.joining(" | ")));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
  }
}
