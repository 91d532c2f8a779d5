package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.real.Result.Run;
import io.gpudra.bench.real.Workload.Phase;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The load of a run: nodes with GPUs, and pods that use them. */
final class Load implements AutoCloseable {
  private static final String NODES = "/api/v1/nodes";
  private static final String RESOURCES = "/apis/resource.k8s.io/v1alpha2/";

  private final Api api;
  private final Contender driver;
  private final Workload workload;
  private final Plugins plugins;

  Load(Api api, Run run) {
    this.api = api;
    this.driver = run.driver();
    this.workload = run.workload();
    this.plugins = new Plugins(api, workload.gpusPerNode());
  }

  /** Creates nodes and the class of all claims. */
  void prepare() throws IOException, InterruptedException {
    ImmutableList<String> nodes = workload.nodeNames();
    api.forEach(nodes, node -> api.create(NODES, Objects.node(node)));
    api.forEach(nodes, node -> api.patch(NODES + "/" + node, Objects.untainted()));
    api.create(RESOURCES + "resourceclasses", driver.resourceClass());
    switch (driver) {
      case GPUDRA, BEFORE, GATED -> plugins.start(nodes);
      case STRUCTURED ->
          api.forEach(
              nodes,
              node ->
                  api.create(
                      RESOURCES + "resourceslices",
                      Objects.slice(node, driver.driverName(), workload.gpusPerNode())));
      // It is told by a file.
      case HELPER -> {}
    }
  }

  /** Creates each pod when it is due; returns when all exist. */
  void createPods(Phase phase) throws IOException, InterruptedException {
    String pods = "/api/v1/namespaces/%s/pods".formatted(phase.namespace());
    ImmutableList<String> names = workload.podNames(phase);
    long begin = System.nanoTime();
    api.forEach(
        names,
        name -> {
          int pod = names.indexOf(name);
          long due = begin + workload.dueNanos(phase, pod);
          TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
          api.create(pods, pod(name, workload.isMember(phase, pod)));
        });
  }

  private ImmutableMap<String, Object> pod(String name, boolean member) {
    ImmutableMap<String, String> labels =
        member ? driver.labels(workload.groupSize()) : ImmutableMap.of();
    return Objects.pod(name, labels, workload.claimsPerPod(), driver.gates());
  }

  @Override
  public void close() {
    plugins.close();
  }
}
