package io.gpudra.bench.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.scenarios.cluster.Installation;
import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.cluster.Plan;
import io.gpudra.scenarios.process.AtExit;
import io.gpudra.scenarios.run.ClusterClient;
import io.gpudra.scenarios.run.Manifests;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.time.Duration;

/**
 * Bursts of pods on an embedded cluster, each pod with a claim of its own and as many as there are
 * GPUs: from the first one's creation until all run. The doubles and all binaries share the
 * machine.
 */
public final class Throughput implements Benchmark {
  private static final int NODES = 4;
  private static final int GPUS_PER_NODE = 16;
  private static final int PODS = NODES * GPUS_PER_NODE;
  private static final int WARM_UP = 2;
  private static final int MEASURED = 5;
  private static final String POD_COLLECTION = "/api/v1/namespaces/default/pods";
  private static final String CLAIM_COLLECTION =
      "/apis/resource.k8s.io/v1alpha2/namespaces/default/resourceclaims";

  private static final String TEMPLATE =
      """
      apiVersion: resource.k8s.io/v1alpha2
      kind: ResourceClaimTemplate
      metadata: {namespace: default, name: one-gpu}
      spec: {spec: {resourceClassName: gpu.example.com}}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {namespace: default, name: %s}
      spec:
        terminationGracePeriodSeconds: 0
        containers:
        - {name: main, image: busybox, resources: {claims: [{name: gpu}]}}
        resourceClaims:
        - {name: gpu, source: {resourceClaimTemplateName: one-gpu}}
      """;

  private final Workbench bench;

  public Throughput(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "pods";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Sample podsPerSecond = new Sample();
    try (AtExit atExit = AtExit.create()) {
      LocalCluster cluster =
          LocalCluster.start(
              new Plan(nodes(), 1, 0),
              new Installation(bench.root()).workplace("bench"),
              atExit,
              doing -> {});
      ClusterClient client = new ClusterClient(cluster.server());
      Wait wait = new Wait(Duration.ofSeconds(60), Duration.ofMillis(20), cluster);
      client.create(object(TEMPLATE));
      for (int i = 0; i < WARM_UP + MEASURED; i++) {
        double seconds = burst(client, wait);
        if (i >= WARM_UP) {
          podsPerSecond.add(PODS / seconds);
        }
      }
    }
    return ImmutableList.of(
        Figure.of("bursts of %d pods".formatted(PODS), podsPerSecond.median(), "pods/s"));
  }

  private static ImmutableMap<String, String> nodes() {
    ImmutableMap.Builder<String, String> nodes = ImmutableMap.builder();
    for (int i = 0; i < NODES; i++) {
      nodes.put("worker-" + i, "latest:" + GPUS_PER_NODE);
    }
    return nodes.buildOrThrow();
  }

  private static double burst(ClusterClient client, Wait wait)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    for (int i = 0; i < PODS; i++) {
      client.post(POD_COLLECTION, object(POD.formatted("pod-" + i)));
    }
    await(wait, () -> PODS - running(client), "pods do not run");
    double seconds = (System.nanoTime() - begin) / 1e9;
    for (int i = 0; i < PODS; i++) {
      client.delete(POD_COLLECTION + "/pod-" + i);
    }
    await(wait, () -> items(client, CLAIM_COLLECTION).size(), "claims are left");
    return seconds;
  }

  private interface Count {
    int now() throws IOException, InterruptedException;
  }

  private static void await(Wait wait, Count missing, String problem)
      throws IOException, InterruptedException {
    ImmutableList<String> problems =
        wait.until(
            () -> {
              int count = missing.now();
              return count == 0 ? ImmutableList.of() : ImmutableList.of(count + " " + problem);
            });
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
  }

  private static int running(ClusterClient client) throws IOException, InterruptedException {
    int running = 0;
    for (JsonNode pod : items(client, POD_COLLECTION)) {
      running += pod.at("/status/phase").asText().equals("Running") ? 1 : 0;
    }
    return running;
  }

  private static JsonNode items(ClusterClient client, String collection)
      throws IOException, InterruptedException {
    return client.get(collection).path("items");
  }

  private static ObjectNode object(String yaml) throws IOException {
    return Manifests.parse(yaml, "a constant").get(0);
  }
}
