package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.real.Workload.Phase;
import java.io.IOException;

/** What the cluster is made to do: nodes with GPUs, and pods that want them. */
final class Load implements AutoCloseable {
  private static final String NODES = "/api/v1/nodes";

  private final Api api;
  private final Workload workload;
  private final Plugins plugins;

  Load(Api api, Workload workload) {
    this.api = api;
    this.workload = workload;
    this.plugins = new Plugins(api, workload.gpusPerNode());
  }

  /** Nodes and the class that everything asks for. */
  void prepare(Contender driver) throws IOException, InterruptedException {
    ImmutableList<String> nodes = workload.nodeNames();
    api.forEach(nodes, node -> api.create(NODES, Objects.node(node)));
    api.forEach(nodes, node -> api.patch(NODES + "/" + node, Objects.untainted()));
    api.create(
        "/apis/resource.k8s.io/v1alpha2/resourceclasses",
        ImmutableMap.of(
            "apiVersion",
            "resource.k8s.io/v1alpha2",
            "kind",
            "ResourceClass",
            "metadata",
            ImmutableMap.of("name", "measured"),
            "driverName",
            driver.driverName()));
    if (driver == Contender.GPUDRA) {
      plugins.start(nodes);
    }
  }

  void createPods(Phase phase) throws IOException, InterruptedException {
    String pods = "/api/v1/namespaces/%s/pods".formatted(phase.namespace());
    api.forEach(
        workload.podNames(phase),
        name -> api.create(pods, Objects.pod(name, workload.claimsPerPod())));
  }

  @Override
  public void close() {
    plugins.close();
  }
}
