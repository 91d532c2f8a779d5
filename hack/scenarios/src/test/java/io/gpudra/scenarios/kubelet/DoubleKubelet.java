package io.gpudra.scenarios.kubelet;

import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.process.TemporaryDirectory;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.actor.Timings.Spread;
import io.gpudra.simulator.cluster.Actors;
import io.gpudra.simulator.cluster.ActorsConfig;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.kubelet.RunningContainer;
import io.gpudra.simulator.kubelet.RunningContainer.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The double, with those of API server, scheduler and claim controller around it. */
record DoubleKubelet(ClusterClient client, Actors actors, Path directory, Path cdi)
    implements KubeletUnderTest {
  private static final String NODE = "n1";

  static DoubleKubelet start() throws IOException {
    AtExit atExit = AtExit.create();
    Path files = atExit.add(TemporaryDirectory.create()).path();
    Path directory = Files.createDirectory(files.resolve("kubelet"));
    Path cdi = Files.createDirectory(files.resolve("cdi"));
    EmbeddedApiServer server = atExit.add(EmbeddedApiServer.start(0));
    NodeConfig node = new NodeConfig(NODE, directory, List.of(cdi), Profile.V1_30, Map.of());
    Actors actors = atExit.add(Actors.start(server.api(), ActorsConfig.quick(List.of(node))));
    return new DoubleKubelet(new ClusterClient(server.url()), actors, directory, cdi);
  }

  @Override
  public String node() {
    return NODE;
  }

  @Override
  public Spread prepareRetry() {
    return Timings.QUICK.prepareRetry();
  }

  @Override
  public Spread podRetry() {
    return Timings.QUICK.podRetry();
  }

  @Override
  public Path outside(Path path) {
    return path;
  }

  @Override
  public Optional<Map<String, String>> environment(String namespace, String pod, String name) {
    return actors.containers().stream()
        .filter(RunningContainer::running)
        .filter(container -> isNamed(container.identity(), namespace, pod, name))
        .map(container -> Map.copyOf(container.environment()))
        .findFirst();
  }

  private static boolean isNamed(Identity identity, String namespace, String pod, String name) {
    return identity.namespace().equals(namespace)
        && identity.pod().equals(pod)
        && identity.container().equals(name);
  }

  @Override
  public void restart() {
    actors.kubelet(NODE).restart();
  }
}
