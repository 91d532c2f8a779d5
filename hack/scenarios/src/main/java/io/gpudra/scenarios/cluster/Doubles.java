package io.gpudra.scenarios.cluster;

import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.cluster.Actors;
import io.gpudra.simulator.cluster.ActorsConfig;
import io.gpudra.simulator.http.Faults;
import io.gpudra.simulator.http.RequestLog;
import io.gpudra.simulator.kubelet.Kubelet;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.kubelet.RunningContainer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The parts of Kubernetes that run in this JVM. Actors are started once the API server is filled.
 */
final class Doubles implements AutoCloseable {
  private final EmbeddedApiServer apiServer;
  private volatile @Nullable Actors actors;

  private Doubles(EmbeddedApiServer apiServer) {
    this.apiServer = apiServer;
  }

  static Doubles apiServer(int port) {
    return new Doubles(EmbeddedApiServer.start(port));
  }

  /** Adds scheduler, claim controller and a kubelet for each node. */
  void startActors(Map<String, NodeDirectories> nodes, Plan plan) {
    List<NodeConfig> configs =
        nodes.entrySet().stream()
            .map(
                node ->
                    new NodeConfig(
                        node.getKey(),
                        node.getValue().kubelet(),
                        List.of(node.getValue().cdi()),
                        plan.kubelets(),
                        Map.of()))
            .toList();
    ActorsConfig quick = ActorsConfig.quick(configs);
    Timings timings = stoppingAfter(plan.containerStop(), quick.timings());
    actors =
        Actors.start(
            apiServer.api(), new ActorsConfig(configs, timings, quick.profile(), quick.seed()));
  }

  private static Timings stoppingAfter(Duration containerStop, Timings other) {
    return new Timings(
        other.schedulerBackoff(),
        other.schedulerBackoffMax(),
        other.prepareRetry(),
        other.podRetry(),
        other.registrationScan(),
        other.rpcDeadline(),
        containerStop);
  }

  /** Objects without the wire, which goes on when the wire is cut. */
  Api api() {
    return apiServer.api();
  }

  /** As a server that goes away, until {@link #serveAgain}; scheduler and kubelets go on. */
  void stopServing() {
    apiServer.stopServing();
  }

  /** As a server that has started again. */
  void serveAgain() {
    apiServer.serveAgain();
  }

  URI server() {
    return apiServer.url();
  }

  void writeKubeconfig(Path file) throws IOException {
    apiServer.writeKubeconfig(file);
  }

  RequestLog requests() {
    return apiServer.requests();
  }

  Faults faults() {
    return apiServer.faults();
  }

  Kubelet kubelet(String node) {
    return started().kubelet(node);
  }

  /** All containers that exist, also those of pods whose object is gone. */
  List<RunningContainer> containers() {
    return started().containers();
  }

  Optional<Map<String, String>> environment(String namespace, String pod, String container) {
    return containers().stream()
        .filter(RunningContainer::running)
        .filter(
            running ->
                running.identity().namespace().equals(namespace)
                    && running.identity().pod().equals(pod)
                    && running.identity().container().equals(container))
        .map(running -> Map.copyOf(running.environment()))
        .findFirst();
  }

  private Actors started() {
    Actors now = actors;
    if (now == null) {
      throw new IllegalStateException("there are no nodes");
    }
    return now;
  }

  @Override
  public void close() {
    Actors now = actors;
    if (now != null) {
      now.close();
    }
    apiServer.close();
  }
}
