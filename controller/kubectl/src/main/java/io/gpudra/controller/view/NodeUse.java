package io.gpudra.controller.view;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.usage.GpuFraction;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One node and the holders of its GPUs.
 *
 * @param refusal a sentence about why the node gets no new allocations; empty if it does
 * @param gpus its listed GPUs in their order, then GPUs that claims hold but the node does not list
 */
public record NodeUse(Inventory inventory, Optional<String> refusal, ImmutableList<GpuUse> gpus) {

  /** All nodes that have GPUs, or whose GPUs are held by claims, by name. */
  public static ImmutableList<NodeUse> all(ClusterSnapshot cluster) {
    return cluster.ledgers().snapshot().parallelStream()
        .filter(NodeUse::isOurs)
        .sorted(Comparator.comparing(NodeLedger::node))
        .map(NodeUse::of)
        .collect(toImmutableList());
  }

  private static boolean isOurs(NodeLedger ledger) {
    return !(ledger.inventory().service() instanceof Service.Absent) || !ledger.claims().isEmpty();
  }

  /** The use of one node. */
  public static NodeUse of(NodeLedger ledger) {
    return FaultIsolation.evaluate(
        () -> ofLedger(ledger),
        why ->
            new NodeUse(
                ledger.inventory(),
                Optional.of(NodeRefusal.notEvaluated(why).text(NamespaceAudience.READER_OF_ALL)),
                ImmutableList.of()));
  }

  private static NodeUse ofLedger(NodeLedger ledger) {
    Optional<String> obstacle =
        NodeFilters.ofNode(ledger).map(refusal -> refusal.text(NamespaceAudience.READER_OF_ALL));
    ImmutableListMultimap<String, DeviceHolder> holders = HolderIndex.of(ledger);
    Stream<GpuUse> listed =
        IntStream.range(0, ledger.inventory().gpus().size())
            .mapToObj(i -> listed(ledger, i, holders));
    Stream<GpuUse> unlisted =
        ledger.unlisted().entrySet().stream().map(gpu -> unlisted(ledger, gpu, holders));
    return new NodeUse(
        ledger.inventory(), obstacle, Stream.concat(listed, unlisted).collect(toImmutableList()));
  }

  private static GpuUse listed(
      NodeLedger ledger, int index, ImmutableListMultimap<String, DeviceHolder> holders) {
    Gpu gpu = ledger.inventory().gpus().get(index);
    return new GpuUse(
        ledger.node(),
        gpu.uuid(),
        Optional.of(gpu),
        ledger.statuses().get(index),
        GpuFraction.of(ledger.usages().get(index), gpu),
        holders.get(gpu.uuid()));
  }

  private static GpuUse unlisted(
      NodeLedger ledger,
      Map.Entry<String, GpuStatus> gpu,
      ImmutableListMultimap<String, DeviceHolder> holders) {
    return new GpuUse(
        ledger.node(),
        gpu.getKey(),
        Optional.empty(),
        gpu.getValue(),
        1,
        holders.get(gpu.getKey()));
  }

  /** The node's name. */
  public String name() {
    return inventory.node().name();
  }

  /** The number of its GPUs that match. */
  public int count(Predicate<GpuUse> so) {
    return (int) gpus.stream().filter(so).count();
  }
}
