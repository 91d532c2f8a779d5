package io.gpudra.bench.real;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.bench.process.Binary;
import io.gpudra.bench.process.Subprocess;
import io.gpudra.bench.real.Result.Run;
import io.gpudra.bench.real.Workload.Phase;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one workload against one driver on a fresh control plane. */
@Command(name = "measure", description = "Runs one workload against one driver.")
final class Measure implements Callable<Integer> {
  private static final Duration CALL_LIMIT = Duration.ofSeconds(30);
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Option(names = "--workload", required = true)
  private String workload = "";

  @Option(names = "--driver", required = true)
  private Contender driver = Contender.GPUDRA;

  @Option(names = "--round", required = true)
  private int round;

  @Option(names = "--kubeconfig", required = true, description = "of an administrator")
  private Path kubeconfig = Path.of("");

  @Option(names = "--audit-log", required = true)
  private Path auditLog = Path.of("");

  @Option(names = "--directory", required = true, description = "for the result and logs")
  private Path directory = Path.of("");

  @Option(names = "--process", description = "NAME=PID of a process whose use is of interest")
  private Map<String, Long> processes = new LinkedHashMap<>();

  @Option(names = "--root", required = true, description = "the repository, built")
  private Path root = Path.of("");

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "starts the helper's driver; for ours, its arguments")
  private List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Run run = new Run(Workload.named(workload), driver, round);
    try (HttpClients http =
            HttpClients.connect(Optional.of(kubeconfig), CALL_LIMIT, new MetricRegistry());
        Api api = new Api(http.calls());
        Load load = new Load(api, run);
        Bindings bindings = new Bindings(new AuditLog(auditLog))) {
      load.prepare();
      Files.writeString(directory.resolve("resources.json"), testDriverConfig(run.workload()));
      Result result = measure(run, load, bindings);
      JSON.writeValue(directory.resolve("result.json").toFile(), result);
      System.out.printf("%s %s: %.1f pods/s%n", workload, driver, result.podsPerSecond());
    }
    return 0;
  }

  private Result measure(Run run, Load load, Bindings bindings)
      throws IOException, InterruptedException {
    try (Subprocess process = Subprocess.start(command(), directory.resolve("driver.log"))) {
      if (driver.hasProcess()) {
        processes.put(Result.DRIVER, process.pid());
      }
      load.createPods(Phase.INIT);
      bindings.await(Phase.INIT.namespace(), run.workload().initPods(), process);
      Map<String, ProcessUsage> before = usages();
      load.createPods(Phase.MEASURED);
      ImmutableSet<String> members = run.workload().memberNames();
      int neverBound =
          bindings.await(Phase.MEASURED.namespace(), run.workload().measuredPods(), process);
      Map<String, ProcessUsage> after = usages();
      return Result.of(
          run,
          neverBound,
          Evaluation.of(bindings.events(), Phase.MEASURED.namespace(), driver.user(), members),
          before,
          after);
    }
  }

  /** Ours runs as in its image, with the memory of its Deployment. */
  private List<String> command() throws IOException {
    return switch (driver) {
      case GPUDRA, BEFORE, GATED -> Binary.of(root, "controller").command(command);
      case HELPER -> command;
      // Something that lives as long as the run; its use is not counted.
      case STRUCTURED -> List.of("sleep", "infinity");
    };
  }

  private Map<String, ProcessUsage> usages() throws IOException {
    ImmutableMap.Builder<String, ProcessUsage> usages = ImmutableMap.builder();
    for (Map.Entry<String, Long> process : processes.entrySet()) {
      usages.put(process.getKey(), ProcessUsage.of(process.getValue()));
    }
    return usages.buildOrThrow();
  }

  /** What scheduler_perf tells the test driver; the file that its option names. */
  private static String testDriverConfig(Workload workload) throws IOException {
    return JSON.writeValueAsString(
        ImmutableMap.of(
            "NodeLocal", true,
            "Nodes", workload.nodeNames(),
            "MaxAllocations", workload.gpusPerNode()));
  }
}
