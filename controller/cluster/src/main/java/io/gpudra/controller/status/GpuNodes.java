package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeFingerprint;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.gpu.ClusterCapacity;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The nodes with GPUs at one moment, in use or not. The number of kinds depends on the hardware,
 * not on the number of nodes.
 *
 * @param nodes all nodes, by name
 * @param identity a hash of all names of nodes and GPUs, regardless of their hardware
 */
record GpuNodes(
    ImmutableList<Kind> kinds,
    ImmutableList<Inventory> nodes,
    ClusterCapacity clusterCapacity,
    long identity) {

  /**
   * Nodes with the same hardware.
   *
   * @param ledger the ledger of such a node when it is unused
   * @param first the first of their names
   */
  record Kind(NodeLedger ledger, String first, int nodes) {
    private Kind more() {
      return new Kind(ledger, first, nodes + 1);
    }

    private boolean isAs(Kind other) {
      return nodes == other.nodes
          && first.equals(other.first)
          && ledger.inventory().equals(other.ledger.inventory());
    }
  }

  static GpuNodes of(String driver, Collection<Inventory> inventories) {
    ImmutableList<Inventory> nodes =
        inventories.stream()
            .filter(node -> !node.gpus().isEmpty())
            .sorted(Comparator.comparing(node -> node.node().name()))
            .collect(toImmutableList());
    Map<Inventory, Kind> kinds = new LinkedHashMap<>();
    for (Inventory node : nodes) {
      Inventory hardware = Hardware.anonymous(node);
      kinds.merge(hardware, kind(hardware, node), (one, same) -> one.more());
    }
    long identity = nodes.stream().mapToLong(GpuNodes::identity).sum();
    return new GpuNodes(
        ImmutableList.copyOf(kinds.values()), nodes, ClusterCapacity.of(driver, nodes), identity);
  }

  private static Kind kind(Inventory hardware, Inventory node) {
    return new Kind(NodeLedger.of(hardware), node.node().name(), 1);
  }

  private static long identity(Inventory node) {
    long identity = node.node().name().hashCode();
    for (Gpu gpu : node.gpus()) {
      identity =
          31 * identity + Objects.hash(gpu.uuid(), gpu.pcieBusId(), gpu.minor(), gpu.attributes());
    }
    return identity;
  }

  boolean isEmpty() {
    return nodes.isEmpty();
  }

  /** Each node as a kind of its own, for conditions that distinguish nodes. */
  Stream<Kind> each() {
    return nodes.stream().map(node -> kind(Hardware.of(node), node));
  }

  /** Whether both give the same answer to every request. */
  boolean isAs(GpuNodes other) {
    return identity == other.identity && hasKindsOf(other);
  }

  /** Whether both give the same answer to every request that reads no name of a node or GPU. */
  boolean hasKindsOf(GpuNodes other) {
    if (kinds.size() != other.kinds.size()) {
      return false;
    }
    for (int i = 0; i < kinds.size(); i++) {
      if (!kinds.get(i).isAs(other.kinds.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** A node that is unused, with a serving plugin and no tainted GPUs. */
  static final class Hardware {

    private Hardware() {}

    /** The hardware with the names of this node. */
    static Inventory of(Inventory node) {
      return node.bare(
          node.node().name(),
          node.gpus().stream().map(Hardware::emptied).collect(toImmutableList()),
          node.links());
    }

    /** The hardware without names: equal for nodes of the same hardware. */
    static Inventory anonymous(Inventory node) {
      return NodeFingerprint.anonymous(of(node));
    }

    /** MIG devices that were made for claims are removed with the claims. */
    private static Gpu emptied(Gpu gpu) {
      ImmutableList<MigState.Device> there =
          gpu.mig().devices().stream()
              .filter(device -> device.claim().isEmpty())
              .map(device -> device.with(ImmutableList.of()))
              .collect(toImmutableList());
      return gpu.with(gpu.mig().with(there)).with(ImmutableList.of());
    }
  }
}
