package io.gpudra.scenarios;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.cluster.Installation;
import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.cluster.Plan;
import io.gpudra.scenarios.load.Load;
import io.gpudra.scenarios.process.AtExit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets many pods wait for few GPUs. */
@Command(
    name = "load",
    description =
        "Many more pods than GPUs: all must run, and what it costs the controller is told.")
final class LoadCommand implements Callable<Integer> {
  private static final int GPUS_OF_A_NODE = 16;

  @Option(names = "--pods", description = "one GPU each (default: ${DEFAULT-VALUE})")
  private int pods = 1000;

  @Option(names = "--gpus", description = "of all nodes together (default: ${DEFAULT-VALUE})")
  private int gpus = 100;

  @Option(
      names = "--idle",
      paramLabel = "SECONDS",
      description = "how long to look on while nothing changes (default: ${DEFAULT-VALUE})")
  private int idleSeconds = 30;

  @Option(names = "--root", hidden = true, description = "the repository")
  private Path root = Path.of("");

  @Option(names = "--live", hidden = true, description = "standard output is a terminal")
  private boolean live;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = new Console(System.out, live);
    if (gpus < 1 || pods <= gpus) {
      console.line("--pods must be more than --gpus, and that more than 0");
      return 2;
    }
    Installation installation = new Installation(root.toAbsolutePath());
    try (AtExit atExit = AtExit.create()) {
      LocalCluster cluster =
          LocalCluster.start(plan(), installation.workplace("load"), atExit, console);
      console.line(cluster.description());
      Load load = new Load(cluster, pods, gpus, console::line);
      return load.run(Duration.ofSeconds(idleSeconds)) ? 0 : 1;
    }
  }

  private Plan plan() {
    ImmutableMap.Builder<String, String> nodes = ImmutableMap.builder();
    for (int left = gpus, i = 0; left > 0; left -= GPUS_OF_A_NODE, i++) {
      nodes.put("worker-" + i, "latest:" + Math.min(left, GPUS_OF_A_NODE));
    }
    return new Plan(nodes.buildOrThrow(), 1, 0).with(Plan.Lease.LONG);
  }
}
