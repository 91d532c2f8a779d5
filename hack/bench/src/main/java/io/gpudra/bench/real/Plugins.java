package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import java.io.IOException;
import java.time.Duration;

/** Stands in for the plugins of all nodes: publishes their inventories and keeps them fresh. */
final class Plugins implements AutoCloseable {

  /** As a plugin's default. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(60);

  private static final String COLLECTION =
      "/apis/%s/%s".formatted(GpuApi.GROUP_VERSION, NodeInventory.PLURAL);

  private final Api api;
  private final int gpusPerNode;
  private Thread heartbeats = new Thread(() -> {});

  Plugins(Api api, int gpusPerNode) {
    this.api = api;
    this.gpusPerNode = gpusPerNode;
  }

  /** Publishes what the nodes have; heartbeats follow, spread over their interval. */
  void start(ImmutableList<String> nodes) throws IOException, InterruptedException {
    api.forEach(nodes, node -> api.create(COLLECTION, object(node)));
    api.forEach(nodes, this::publish);
    heartbeats = new Thread(() -> beat(nodes), "heartbeats");
    heartbeats.start();
  }

  private void beat(ImmutableList<String> nodes) {
    long pause = HEARTBEAT.toMillis() / nodes.size();
    try {
      for (String node : Iterables.cycle(nodes)) {
        Thread.sleep(pause);
        beatOnce(node);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One that is missed matters as little as it does in a cluster. */
  private void beatOnce(String node) {
    try {
      publish(node);
    } catch (IOException missed) {
      System.err.println("heartbeat of " + node + ": " + missed);
    }
  }

  private void publish(String node) throws IOException {
    SampleNode plugin = new SampleNode(node, gpusPerNode, Math.toIntExact(HEARTBEAT.toSeconds()));
    api.patch(
        COLLECTION + "/" + node + "/status",
        ImmutableMap.of("status", plugin.status(ImmutableList.of())));
  }

  private static ImmutableMap<String, Object> object(String node) {
    return ImmutableMap.of(
        "apiVersion", GpuApi.GROUP_VERSION,
        "kind", NodeInventory.KIND,
        "metadata", ImmutableMap.of("name", node));
  }

  @Override
  public void close() {
    heartbeats.interrupt();
  }
}
