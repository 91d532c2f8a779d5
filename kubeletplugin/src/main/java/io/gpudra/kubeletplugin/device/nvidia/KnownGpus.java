package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.kubeletplugin.device.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The GPUs of the node, for the next process, which may not find a GPU that claims hold. Failures
 * of the file are never fatal: unreadable content is dropped, failed writes are logged.
 */
public final class KnownGpus {

  private static final Logger log = LoggerFactory.getLogger(KnownGpus.class);
  private static final JsonMapper JSON = new JsonMapper();
  private static final NodeState NODE = NodeState.ready("");
  private static final InventoryCodec.Publisher US =
      new InventoryCodec.Publisher("nvidia", "", "", 1);

  private final Path file;
  private volatile ImmutableList<Gpu> lost = ImmutableList.of();

  /** Guarded by this. */
  private ImmutableList<Gpu> written;

  /** Reads the GPUs of an earlier process. */
  KnownGpus(Path file) {
    this.file = file;
    this.written = before(file);
  }

  /** The GPUs that an earlier process found. */
  public static ImmutableList<Gpu> before(Path file) {
    if (!Files.exists(file)) {
      return ImmutableList.of();
    }
    try {
      NodeInventoryStatus status =
          JSON.readValue(Files.readAllBytes(file), NodeInventoryStatus.class);
      NodeInventory object = new NodeInventory(null, null, null, null, status);
      return InventoryCodec.read(object, NODE, US.driverName()).inventory().gpus();
    } catch (IOException | RuntimeException e) {
      log.warn("cannot read the GPUs of an earlier process file={} reason={}", file, e.toString());
      return ImmutableList.of();
    }
  }

  /** GPUs that claims hold stay known although they are not found. */
  synchronized void hold(Set<String> uuids) {
    lost = written.stream().filter(gpu -> uuids.contains(gpu.uuid())).collect(toImmutableList());
  }

  /** Missing GPUs stay known only while claims hold them. */
  synchronized void release(Set<String> held) {
    lost = lost.stream().filter(gpu -> held.contains(gpu.uuid())).collect(toImmutableList());
  }

  /**
   * All GPUs, ordered by index: the GPUs that are found, and those that are not. A lost GPU keeps
   * its name unless another GPU got the name meanwhile.
   */
  ImmutableList<Gpu> all(DiscoveredGpus discoveredGpus) {
    List<Gpu> all = new ArrayList<>();
    discoveredGpus.gpus().values().forEach(there -> all.add(there.gpu()));
    for (Gpu gpu : lost) {
      if (!discoveredGpus.gpus().containsKey(gpu.uuid())) {
        all.add(gpu.toBuilder().at(DiscoveredGpus.free(all, gpu.index())).build());
      }
    }
    return ImmutableList.sortedCopyOf(Comparator.comparingInt(Gpu::index), all);
  }

  /** Saves the GPUs if they differ from the saved ones. */
  synchronized void save(DiscoveredGpus discoveredGpus) {
    ImmutableList<Gpu> lasting =
        all(discoveredGpus).stream().map(KnownGpus::lasting).collect(toImmutableList());
    if (lasting.equals(written)) {
      return;
    }
    try {
      AtomicFile.write(file, JSON.writeValueAsBytes(status(lasting)));
      written = lasting;
    } catch (IOException e) {
      log.warn("cannot save the known GPUs file={} reason={}", file, e.toString());
    }
  }

  private static Gpu lasting(Gpu gpu) {
    MigState mig = gpu.mig();
    return gpu.with(new MigState(mig.mode(), mig.switchable(), ImmutableList.of()));
  }

  private static NodeInventoryStatus status(ImmutableList<Gpu> gpus) {
    Inventory inventory =
        new Inventory(NODE, "", "", gpus, ImmutableList.of(), new Inventory.Service.Serving());
    return InventoryCodec.write(inventory, US, Instant.EPOCH, ImmutableList.of());
  }
}
