package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A class of JMH benchmarks.
 *
 * @param figures from the mean time of each benchmark, by its name: {@code method} or {@code
 *     method/parameter}
 */
public record MicroBenchmark(
    String name,
    Class<?> measured,
    ImmutableList<String> jvmFlags,
    Function<ImmutableMap<String, Double>, ImmutableList<Figure>> figures)
    implements Benchmark {

  private static final String P99 = ", p99";
  private static final double NEARLY_ALL = 99;
  private static final double MICROS_PER_MILLI = 1000;
  private static final double MAX_MILLIS_OF_PARTS = 5;
  private static final double MAX_MILLIS_A_DEVICE = 5;
  private static final double MAX_MILLIS_OF_A_GROUP = 1000;

  /** All of them. */
  public static ImmutableList<MicroBenchmark> all(ImmutableList<String> jvmFlags) {
    return ImmutableList.of(
        new MicroBenchmark(
            "suitability", SuitabilityTimes.class, jvmFlags, MicroBenchmark::suitability),
        new MicroBenchmark("placement", PlacementTimes.class, jvmFlags, MicroBenchmark::placement),
        new MicroBenchmark("parts", PartsTimes.class, jvmFlags, MicroBenchmark::parts),
        new MicroBenchmark("cel", ConditionTimes.class, jvmFlags, MicroBenchmark::conditions),
        new MicroBenchmark("group", GroupTimes.class, jvmFlags, MicroBenchmark::group));
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException {
    OptionsBuilder options = new OptionsBuilder();
    options.include(measured.getName() + "\\.");
    options.jvmArgs(jvmFlags.toArray(String[]::new));
    options.verbosity(VerboseMode.SILENT);
    options.shouldFailOnError(true);
    try {
      ImmutableMap.Builder<String, Double> times = ImmutableMap.builder();
      for (RunResult result : new Runner(options.build()).run()) {
        String title = title(result.getParams());
        times.put(title, result.getPrimaryResult().getScore());
        times.put(title + P99, result.getPrimaryResult().getStatistics().getPercentile(NEARLY_ALL));
      }
      return figures.apply(times.buildOrThrow());
    } catch (RunnerException e) {
      throw new IOException("benchmark " + name, e);
    }
  }

  private static String title(BenchmarkParams params) {
    String method = params.getBenchmark().replaceFirst(".*\\.", "");
    return params.getParamsKeys().stream()
        .map(key -> "/" + params.getParam(key))
        .reduce(method, String::concat);
  }

  private static ImmutableList<Figure> suitability(ImmutableMap<String, Double> micros) {
    return ImmutableList.of(
        Figure.of("128 nodes × 2 claims", time(micros, "judge") / MICROS_PER_MILLI, "ms")
            .atMost(1));
  }

  private static ImmutableList<Figure> placement(ImmutableMap<String, Double> micros) {
    ImmutableList.Builder<Figure> figures = ImmutableList.builder();
    for (String devices : List.of("8", "16")) {
      double exact = time(micros, "exact/" + devices);
      double firstFit = time(micros, "firstFit/" + devices);
      figures.add(Figure.of("exact, %s devices".formatted(devices), exact, "µs"));
      figures.add(Figure.of("· first-fit in its place", firstFit, "µs"));
      figures.add(Figure.of("· exact ÷ first-fit", exact / firstFit, ""));
    }
    return figures
        .add(Figure.of("what first-fit refuses and exact places", Batches.lost(8), "%"))
        .build();
  }

  private static ImmutableList<Figure> parts(ImmutableMap<String, Double> micros) {
    ImmutableList.Builder<Figure> figures = ImmutableList.builder();
    for (String wanted : List.of("56", "57", "mix", "mix+1")) {
      figures.add(parts("8 × A100, " + wanted, micros, "oneNode/" + wanted));
    }
    return figures
        .add(parts("128 mixed nodes × 4 claims, first of its kind", micros, "manyNodes"))
        .add(parts("128 mixed nodes × 4 claims, another pod of the kind", micros, "alike"))
        .add(parts("128 mixed nodes × 4 claims, asked again", micros, "again"))
        .build();
  }

  private static Figure parts(String what, ImmutableMap<String, Double> micros, String title) {
    return millis(what, micros, title).atMost(MAX_MILLIS_OF_PARTS);
  }

  private static Figure millis(String what, ImmutableMap<String, Double> micros, String title) {
    return Figure.of(what + P99, time(micros, title + P99) / MICROS_PER_MILLI, "ms");
  }

  private static ImmutableList<Figure> conditions(ImmutableMap<String, Double> micros) {
    double evaluated = time(micros, "newDevice");
    double known = time(micros, "knownModel");
    return ImmutableList.of(
        Figure.of("a device of attributes not seen before", evaluated, "µs"),
        Figure.of(
                "dearest allowed expression, a device",
                time(micros, "dearestExpression") / MICROS_PER_MILLI,
                "ms")
            .atMost(MAX_MILLIS_A_DEVICE),
        Figure.of(
            "dearest that tells devices apart",
            time(micros, "dearestApart") / MICROS_PER_MILLI,
            "ms"),
        Figure.of("a new inventory, its model seen before", known, "µs"),
        Figure.of("· evaluated ÷ remembered", evaluated / known, ""),
        Figure.of("an inventory seen before", time(micros, "knownInventory"), "µs"));
  }

  private static ImmutableList<Figure> group(ImmutableMap<String, Double> micros) {
    String what = "1,024 members on 128 nodes, by code that never ran";
    return ImmutableList.of(millis(what, micros, "place").atMost(MAX_MILLIS_OF_A_GROUP));
  }

  private static double time(ImmutableMap<String, Double> micros, String title) {
    Double time = micros.get(title);
    if (time == null) {
      throw new IllegalStateException("not measured: " + title);
    }
    return time;
  }
}
