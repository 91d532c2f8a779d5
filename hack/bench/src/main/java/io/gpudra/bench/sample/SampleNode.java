package io.gpudra.bench.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.Inventories;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GpuModel;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.MigState;
import io.gpudra.crds.model.NodeState;
import io.gpudra.crds.model.PreparedClaim;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A node with a plugin that serves.
 *
 * @param heartbeatSeconds between two heartbeats of the plugin
 */
public record SampleNode(String name, int gpus, int heartbeatSeconds) {

  /** The name of the driver whose plugin it has. */
  public static final String DRIVER = "gpu.resource.example.com";

  private static final long MEMORY_BYTES = 80L << 30;
  private static final GpuModel MODEL =
      new GpuModel(
          "NVIDIA A100-SXM4-80GB",
          "Nvidia",
          "Ampere",
          "8.0",
          MEMORY_BYTES,
          ImmutableSortedSet.of("tensorCores"));

  /** What it has, when nothing is prepared. */
  public Inventory inventory() {
    return inventory(ImmutableList.of());
  }

  /** What it has. */
  public Inventory inventory(ImmutableList<PreparedClaim> prepared) {
    return new Inventory(
        new NodeState(name, true, false, ImmutableSortedSet.of(), ImmutableMap.of()),
        "535.104.05",
        "12.2",
        IntStream.range(0, gpus).mapToObj(this::gpu).collect(ImmutableList.toImmutableList()),
        prepared,
        new Inventory.Service.Serving());
  }

  /** What its plugin publishes now. */
  public NodeInventoryStatus status(ImmutableList<PreparedClaim> prepared) {
    Instant now = Instant.now();
    return Inventories.write(
        inventory(prepared),
        new Inventories.Publisher(DRIVER, "bench", "boot-of-" + name, heartbeatSeconds),
        now,
        ImmutableList.of(Inventories.ready(true, Inventories.SERVING, "", now)));
  }

  /** One of its GPUs, as a grant names it. */
  public GrantedDevice device(int index) {
    Gpu gpu = gpu(index);
    return new GrantedDevice(gpu.name(), gpu.uuid());
  }

  private Gpu gpu(int index) {
    return new Gpu(
        "gpu-" + index,
        "GPU-" + UUID.nameUUIDFromBytes((name + "/" + index).getBytes(UTF_8)),
        index,
        index,
        MODEL,
        MEMORY_BYTES,
        "0000:%02x:00.0".formatted(index + 1),
        "pci0000:00",
        0,
        MigState.of(Gpu.MigMode.DISABLED),
        ImmutableList.of());
  }
}
