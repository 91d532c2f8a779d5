package io.gpudra.scenarios.kubelet;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.real.RealCluster;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.actor.Timings.Spread;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The kubelet of a node of {@code hack/cluster/up}, which is processes of this machine. */
record RealKubelet(RealCluster cluster, Path files) implements KubeletUnderTest {
  static final String NODE = "worker-1";
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path LOGS = ROOT.resolve("hack/scenarios/target/kubelet-conformance");

  static RealKubelet connect() throws IOException, InterruptedException {
    AtExit atExit = AtExit.create();
    RealCluster cluster = RealCluster.connect(ROOT, LOGS, atExit);
    String files = cluster.node().output(ImmutableList.of("files", NODE)).strip();
    return new RealKubelet(cluster, Path.of(files));
  }

  @Override
  public ClusterClient client() {
    return cluster.client();
  }

  @Override
  public String node() {
    return NODE;
  }

  /** The {@code syncFrequency} of {@code hack/cluster}, up to half as much more; else a minute. */
  @Override
  public Spread prepareRetry() {
    return new Spread(Duration.ofSeconds(10), Duration.ofSeconds(15));
  }

  @Override
  public Spread podRetry() {
    return Timings.REAL.podRetry();
  }

  @Override
  public Path directory() {
    return Path.of("/var/lib/kubelet");
  }

  @Override
  public Path cdi() {
    return Path.of("/run/cdi");
  }

  @Override
  public Path outside(Path path) {
    return files.resolve(path.toString().substring(1));
  }

  /** Containers carry their names in a variable of their own. */
  @Override
  public Optional<Map<String, String>> environment(String namespace, String pod, String container)
      throws IOException {
    String name = namespace + "/" + pod + "/" + container;
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        Map<String, String> environment = environment(process);
        if (name.equals(environment.get(Stage.CONTAINER))) {
          return Optional.of(environment);
        }
      }
    }
    return Optional.empty();
  }

  private static Map<String, String> environment(Path process) {
    Map<String, String> environment = new HashMap<>();
    try {
      String text = Files.readString(process.resolve("environ"));
      for (String variable : Splitter.on('\0').split(text)) {
        List<String> parts = Splitter.on('=').limit(2).splitToList(variable);
        environment.put(parts.get(0), parts.size() < 2 ? "" : parts.get(1));
      }
    } catch (IOException e) {
      return Map.of();
    }
    return environment;
  }

  @Override
  public void restart() throws IOException, InterruptedException {
    cluster.node().output(ImmutableList.of("restart-kubelet", NODE));
  }
}
