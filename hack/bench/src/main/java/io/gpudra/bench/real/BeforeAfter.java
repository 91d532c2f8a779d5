package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.gpudra.bench.figure.Change;
import io.gpudra.bench.figure.Change.Aim;
import io.gpudra.bench.figure.Sample;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Compares our controller with the one before a change. */
final class BeforeAfter {
  private BeforeAfter() {}

  /** Compares by workload; nothing where one of both did not run. */
  static ImmutableListMultimap<String, Change> of(List<Result> results) {
    ImmutableListMultimap.Builder<String, Change> changes = ImmutableListMultimap.builder();
    results.stream()
        .map(Result::workload)
        .distinct()
        .sorted()
        .forEach(
            workload ->
                changes.putAll(
                    workload,
                    changes(
                        of(results, workload, Contender.BEFORE),
                        of(results, workload, Contender.GPUDRA))));
    return changes.build();
  }

  private static ImmutableList<Result> of(List<Result> results, String workload, Contender driver) {
    return results.stream()
        .filter(result -> result.workload().equals(workload) && result.driver() == driver)
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<Change> changes(
      ImmutableList<Result> before, ImmutableList<Result> after) {
    return before.isEmpty() || after.isEmpty()
        ? ImmutableList.of()
        : figures()
            .map(
                figure ->
                    new Change(
                        figure.what(),
                        figure.unit(),
                        figure.aim(),
                        figure.sample(before),
                        figure.sample(after)))
            .collect(ImmutableList.toImmutableList());
  }

  private static Stream<Compared> figures() {
    return Stream.of(
        new Compared("pods per second", "", Aim.MORE, Result::podsPerSecond),
        new Compared("create to bound, p50", "s", Aim.LESS, Result::latencyP50Seconds),
        new Compared("create to bound, p99", "s", Aim.LESS, Result::latencyP99Seconds),
        new Compared("API calls of the driver per pod", "", Aim.LESS, Result::driverCalls),
        new Compared("CPU of the driver", "s", Aim.LESS, result -> driver(result.cpuSeconds())),
        new Compared(
            "peak memory of the driver",
            "MiB",
            Aim.LESS,
            result -> driver(result.peakMemoryMiB())));
  }

  private static double driver(Map<String, Double> byProcess) {
    return byProcess.getOrDefault(Result.DRIVER, 0.0);
  }

  private record Compared(String what, String unit, Aim aim, ToDoubleFunction<Result> figure) {
    Sample sample(ImmutableList<Result> results) {
      Sample sample = new Sample();
      results.stream().mapToDouble(figure).forEach(sample::add);
      return sample;
    }
  }
}
