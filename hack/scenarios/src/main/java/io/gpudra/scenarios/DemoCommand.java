package io.gpudra.scenarios;

import io.gpudra.scenarios.cluster.Installation;
import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.cluster.Plan;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Kubernetes;
import io.gpudra.scenarios.run.ScenarioRunner;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the examples against the shipped binaries on an embedded cluster and judges them. */
@Command(name = "demo", description = "Runs the examples and says what each container saw.")
final class DemoCommand implements Callable<Integer> {
  private static final Duration STEP_LIMIT = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(40);
  private static final int LANES = 3;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "only this scenario")
  private @Nullable String name;

  @Option(names = "--all", description = "not just the tour")
  private boolean all;

  @Option(names = "--keep", description = "leave the cluster up until Ctrl-C")
  private boolean keep;

  @Option(names = "--root", hidden = true, description = "the repository")
  private Path root = Path.of("");

  @Option(names = "--examples", hidden = true, description = "instead of manifests/examples")
  private @Nullable Path examples;

  @Option(names = "--live", hidden = true, description = "standard output is a terminal")
  private boolean live;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = new Console(System.out, live);
    Installation installation = new Installation(root.toAbsolutePath());
    try (AtExit atExit = AtExit.create()) {
      Examples chosen =
          Examples.of(
              examples == null ? installation.examples() : List.of(examples),
              new Examples.Wish(name == null ? List.of() : List.of(name), all),
              LANES);
      return play(chosen, installation, atExit, console);
    } catch (Examples.UnknownName e) {
      console.line(String.valueOf(e.getMessage()));
      return 2;
    }
  }

  private int play(Examples chosen, Installation installation, AtExit atExit, Console console)
      throws IOException, InterruptedException {
    LocalCluster cluster =
        LocalCluster.start(
            new Plan(installation.exampleNodes(), 2, 0).with("--gates"),
            installation.workplace("demo"),
            atExit,
            console);
    console.line(cluster.description());
    ScenarioRunner runner =
        new ScenarioRunner(
            new ClusterClient(cluster.server()),
            cluster.nodes(),
            console,
            new Wait(STEP_LIMIT, PAUSE, cluster),
            Kubernetes.WITHOUT_WORKLOADS);
    boolean passed = chosen.run(runner, cluster, console);
    if (cluster.fault().isPresent()) {
      return 1;
    }
    if (keep) {
      console.line(cluster.usage());
      console.line(cluster.awaitFault());
      return 1;
    }
    return passed ? 0 : 1;
  }
}
