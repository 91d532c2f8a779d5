package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Iterables;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.Inventories;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GpuModel;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.NodeState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;

/** Stands in for the plugins of all nodes: publishes their inventories and keeps them fresh. */
final class Plugins implements AutoCloseable {

  /** As a plugin's default. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(60);

  private static final String COLLECTION =
      "/apis/%s/%s".formatted(GpuApi.GROUP_VERSION, NodeInventory.PLURAL);

  private static final long MEMORY_BYTES = 80L << 30;
  private static final GpuModel MODEL =
      new GpuModel(
          "NVIDIA A100-SXM4-80GB",
          "Nvidia",
          "Ampere",
          "8.0",
          MEMORY_BYTES,
          ImmutableSortedSet.of("tensorCores"));

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
        publish(node);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException("heartbeat", e);
    }
  }

  private void publish(String node) throws IOException {
    api.patch(COLLECTION + "/" + node + "/status", ImmutableMap.of("status", status(node)));
  }

  private static ImmutableMap<String, Object> object(String node) {
    return ImmutableMap.of(
        "apiVersion", GpuApi.GROUP_VERSION,
        "kind", NodeInventory.KIND,
        "metadata", ImmutableMap.of("name", node));
  }

  private NodeInventoryStatus status(String node) {
    Instant now = Instant.now();
    return Inventories.write(
        inventory(node),
        new Inventories.Publisher(
            Contender.GPUDRA.driverName(),
            "bench",
            "boot-of-" + node,
            Math.toIntExact(HEARTBEAT.toSeconds())),
        now,
        ImmutableList.of(Inventories.ready(true, Inventories.SERVING, "", now)));
  }

  private Inventory inventory(String node) {
    return new Inventory(
        new NodeState(node, true, false, ImmutableSortedSet.of(), ImmutableMap.of()),
        "535.104.05",
        "12.2",
        IntStream.range(0, gpusPerNode)
            .mapToObj(index -> gpu(node, index))
            .collect(ImmutableList.toImmutableList()),
        ImmutableList.of(),
        new Inventory.Service.Serving());
  }

  private static Gpu gpu(String node, int index) {
    return new Gpu(
        "gpu-" + index,
        "GPU-%s-%02d".formatted(node, index),
        index,
        index,
        MODEL,
        MEMORY_BYTES,
        "0000:%02x:00.0".formatted(index + 1),
        "pci0000:00",
        0,
        Gpu.MigMode.DISABLED);
  }

  @Override
  public void close() {
    heartbeats.interrupt();
  }
}
