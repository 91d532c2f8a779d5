package io.gpudra.bench.real;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import io.gpudra.scenarios.process.ProcessUsage;
import java.util.Map;

/**
 * One run, as it is kept in a file.
 *
 * @param neverBound measured pods; the other figures are of those that were bound
 * @param percentWithContext of the pods, for which the scheduler made a context
 * @param groupSeconds of a group, see {@link GroupEvaluation}
 * @param cpuSeconds of each process while the measured pods were scheduled
 * @param peakMemoryMiB of each process in its life
 */
record Result(
    String workload,
    Contender driver,
    int round,
    int neverBound,
    double podsPerSecond,
    double latencyP50Seconds,
    double latencyP99Seconds,
    Map<String, Double> callsPerPod,
    double percentWithContext,
    Map<String, Double> groupSeconds,
    Map<String, Double> cpuSeconds,
    Map<String, Double> peakMemoryMiB) {

  /** Key of the driver in the maps by process. */
  static final String DRIVER = "driver";

  static Result of(
      Run run,
      int neverBound,
      Evaluation evaluation,
      Map<String, ProcessUsage> before,
      Map<String, ProcessUsage> after) {
    ImmutableSortedMap.Builder<String, Double> cpu = ImmutableSortedMap.naturalOrder();
    ImmutableSortedMap.Builder<String, Double> memory = ImmutableSortedMap.naturalOrder();
    after.forEach(
        (process, usage) -> {
          ProcessUsage start = before.getOrDefault(process, usage);
          cpu.put(process, usage.cpuSeconds() - start.cpuSeconds());
          memory.put(process, usage.peakMemoryMiB());
        });
    return new Result(
        run.workload().name(),
        run.driver(),
        run.round(),
        neverBound,
        evaluation.podsPerSecond(),
        evaluation.latencyP50Seconds(),
        evaluation.latencyP99Seconds(),
        evaluation.callsPerPod(),
        evaluation.percentWithContext(),
        evaluation.groupSeconds(),
        cpu.build(),
        memory.build());
  }

  /** API calls of all components together. */
  double calls() {
    return sum(callsPerPod);
  }

  /** Of the driver alone. */
  double driverCalls() {
    return sum(Maps.filterKeys(callsPerPod, call -> call.startsWith(DRIVER + " ")));
  }

  double cpu() {
    return sum(cpuSeconds);
  }

  private static double sum(Map<String, Double> figures) {
    return figures.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Which of many runs it is. */
  record Run(Workload workload, Contender driver, int round) {}
}
