package io.gpudra.bench.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Sample;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.scenarios.process.ProcessUsage;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Measures prepare over gRPC, and in turn the plugin's writes alone and a single write in the same
 * directory, so that all see the same disk.
 */
public final class Prepare implements Benchmark {
  private static final int WARM_UP = 300;
  private static final int MEASURED = 1000;

  /** Before and after. */
  private static final int CHECKPOINTS = 2;

  private static final int WRITTEN_BYTES = 4096;
  private static final Resource INVENTORIES =
      new Resource(GpuApi.GROUP, GpuApi.VERSION, NodeInventory.PLURAL);

  private final Workbench bench;

  private final Sample prepare = new Sample();
  private final Sample unprepare = new Sample();
  private final Sample sync = new Sample();
  private final Sample writes = new Sample();

  public Prepare(Workbench bench) {
    this.bench = bench;
  }

  @Override
  public String name() {
    return "prepare";
  }

  @Override
  public ImmutableList<Figure> measure() throws IOException, InterruptedException {
    Path place = bench.place(name());
    Endpoint http = Endpoint.free();
    try (SmallCluster cluster = SmallCluster.start(bench.root(), place.resolve("node"));
        Subprocess plugin =
            bench.plugin().start(place.resolve("plugin.log"), cluster.plugin(http))) {
      http.await("/healthz", plugin);
      try (Kubelet kubelet = new Kubelet(cluster.socket())) {
        ImmutableList<GrantedDevice> devices = devices(cluster, plugin);
        for (int i = 0; i < WARM_UP + MEASURED; i++) {
          Grant grant = grant(i, devices.get(i % devices.size()));
          once(kubelet, grant, cluster.state(), i >= WARM_UP);
        }
      }
      return figures(plugin.usage());
    }
  }

  private static ImmutableList<GrantedDevice> devices(SmallCluster cluster, Subprocess plugin)
      throws IOException, InterruptedException {
    Endpoint.await(() -> !published(cluster).isEmpty(), "the inventory", plugin);
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    for (JsonNode gpu : published(cluster)) {
      devices.add(new GrantedDevice(gpu.path("name").asText(), gpu.path("uuid").asText()));
    }
    return devices.build();
  }

  private static JsonNode published(SmallCluster cluster) {
    return cluster
        .server()
        .api()
        .get(INVENTORIES, "", SmallCluster.NODE)
        .map(inventory -> inventory.at("/status/devices"))
        .orElse(MissingNode.getInstance());
  }

  private static Grant grant(int number, GrantedDevice device) {
    return new Grant(
        new ClaimUid("uid-" + number),
        SmallCluster.NODE,
        1,
        OptionalLong.empty(),
        Instant.EPOCH,
        ImmutableList.of(device));
  }

  private void once(Kubelet kubelet, Grant grant, Path state, boolean counts) throws IOException {
    Sample ignored = new Sample();
    long begin = System.nanoTime();
    kubelet.prepare(grant);
    (counts ? prepare : ignored).addMillisSince(begin);
    begin = System.nanoTime();
    kubelet.unprepare(grant);
    (counts ? unprepare : ignored).addMillisSince(begin);
    begin = System.nanoTime();
    DiskWork.writeSynced(state.resolve("probe"), WRITTEN_BYTES);
    (counts ? sync : ignored).addMillisSince(begin);
    begin = System.nanoTime();
    DiskWork.ofPrepare(state, CHECKPOINTS, WRITTEN_BYTES);
    (counts ? writes : ignored).addMillisSince(begin);
  }

  private ImmutableList<Figure> figures(ProcessUsage plugin) {
    return ImmutableList.of(
        Figure.of("prepare, p50", prepare.median(), "ms"),
        Figure.of("· of which the disk's time, p50", writes.median(), "ms"),
        Figure.of("· beside it", prepare.beside(writes).median(), "ms").atMost(5),
        Figure.of("prepare, p99", prepare.quantile(0.99), "ms"),
        Figure.of("unprepare, p50", unprepare.median(), "ms"),
        Figure.of("one synced write in the same directory, p50", sync.median(), "ms"),
        Figure.of("one synced write in the same directory, p99", sync.quantile(0.99), "ms"),
        Figure.of("prepare ÷ synced write, p50", prepare.median() / sync.median(), ""),
        Figure.of("plugin: most memory", plugin.peakMemoryMiB(), "MiB").atMost(128));
  }
}
