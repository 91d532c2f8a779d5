package io.gpudra.scenarios;

import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.cluster.Installation;
import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.cluster.Plan;
import io.gpudra.scenarios.process.AtExit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Keeps an embedded cluster up in the foreground. */
@Command(name = "localcluster", description = "Runs an embedded cluster until stopped.")
final class LocalClusterCommand implements Callable<Integer> {

  @Option(names = "--nodes", description = "number of nodes (default: ${DEFAULT-VALUE})")
  private int nodes = 2;

  @Option(
      names = "--profile",
      description = "GPUs of every node, as the plugin's --profile (default: ${DEFAULT-VALUE})")
  private String profile = "latest";

  @Option(names = "--kubeconfig", paramLabel = "FILE", description = "where to write one")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--port",
      description = "of the API server, 0 for any that is free (default: ${DEFAULT-VALUE})")
  private int port = 0;

  @Option(
      names = "--api-only",
      description = "only the API server, with namespace lifecycle and garbage collection")
  private boolean apiOnly;

  @Option(names = "--root", hidden = true, description = "the repository")
  private Path root = Path.of("");

  @Option(names = "--live", hidden = true, description = "standard output is a terminal")
  private boolean live;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = new Console(System.out, live);
    Installation installation = new Installation(root.toAbsolutePath());
    try (AtExit atExit = AtExit.create()) {
      LocalCluster cluster =
          apiOnly
              ? LocalCluster.apiOnly(port, installation.workplace("localcluster"), atExit)
              : LocalCluster.start(plan(), installation.workplace("localcluster"), atExit, console);
      if (kubeconfig != null) {
        Files.copy(cluster.kubeconfig(), kubeconfig, StandardCopyOption.REPLACE_EXISTING);
      }
      console.line(cluster.description());
      console.line(cluster.awaitFault());
    }
    return 1;
  }

  private Plan plan() {
    ImmutableMap.Builder<String, String> workers = ImmutableMap.builder();
    for (int i = 0; i < nodes; i++) {
      workers.put("worker-" + i, profile);
    }
    return new Plan(workers.buildOrThrow(), 1, port);
  }
}
