package io.gpudra.scenarios;

import io.gpudra.scenarios.cluster.Installation;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.real.RealCluster;
import io.gpudra.scenarios.run.Kubernetes;
import io.gpudra.scenarios.run.ScenarioRunner;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the examples on the cluster of {@code hack/cluster/up}, where the driver is installed. */
@Command(name = "e2e", description = "Runs the examples on a real cluster.")
final class EndToEndCommand implements Callable<Integer> {
  private static final Duration STEP_LIMIT = Duration.ofSeconds(60);

  private static final Duration PAUSE = Duration.ofMillis(250);

  /** Pods of three or four examples at a time are what two cores can start. */
  private static final int LANES = 4;

  @Parameters(arity = "0..*", paramLabel = "NAME", description = "only these scenarios")
  private List<String> names = List.of();

  @Option(names = "--all", description = "not just the tour")
  private boolean all;

  @Option(names = "--root", hidden = true, description = "the repository")
  private Path root = Path.of("");

  @Option(names = "--live", hidden = true, description = "standard output is a terminal")
  private boolean live;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = new Console(System.out, live);
    Installation installation = new Installation(root.toAbsolutePath());
    Path logs = installation.workplace("e2e").directory();
    try (AtExit atExit = AtExit.create()) {
      Examples examples =
          Examples.of(installation.examples(), new Examples.Wish(names, all), LANES);
      RealCluster cluster = RealCluster.connect(installation.root(), logs, atExit);
      ScenarioRunner runner =
          new ScenarioRunner(
              cluster.client(),
              cluster.nodes(),
              console,
              new Wait(STEP_LIMIT, PAUSE, cluster),
              Kubernetes.WHOLE);
      return examples.run(runner, cluster, console) ? 0 : 1;
    } catch (Examples.UnknownName e) {
      console.line(String.valueOf(e.getMessage()));
      return 2;
    }
  }
}
