package io.gpudra.controller.view;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.reading.ClusterSnapshot;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One node and the holders of its GPUs.
 *
 * @param obstacle why it gets no new allocations, a sentence; empty if it does
 * @param gpus its listed GPUs in their order, then GPUs that claims hold but it does not list
 */
public record NodeUse(Inventory inventory, Optional<String> obstacle, ImmutableList<GpuUse> gpus) {

  /** All nodes that have GPUs, or that claims hold GPUs of, by name. */
  public static ImmutableList<NodeUse> all(ClusterSnapshot cluster) {
    return cluster.ledgers().snapshot().parallelStream()
        .filter(NodeUse::isOurs)
        .sorted(Comparator.comparing(NodeLedger::node))
        .map(NodeUse::of)
        .collect(toImmutableList());
  }

  private static boolean isOurs(NodeLedger ledger) {
    return isKnown(ledger) || !ledger.claims().isEmpty();
  }

  private static boolean isKnown(NodeLedger ledger) {
    return !(ledger.inventory().service() instanceof Service.Absent);
  }

  /** For one node. */
  public static NodeUse of(NodeLedger ledger) {
    return FaultIsolation.around(
        () -> judged(ledger),
        why ->
            new NodeUse(
                ledger.inventory(),
                Optional.of(NodeRefusal.notJudged(why).text(NamespaceAudience.READER_OF_ALL)),
                ImmutableList.of()));
  }

  private static NodeUse judged(NodeLedger ledger) {
    Optional<String> obstacle =
        NodeFilters.ofNode(ledger).map(refusal -> refusal.text(NamespaceAudience.READER_OF_ALL));
    ImmutableListMultimap<String, DeviceHolder> holders = HolderIndex.of(ledger);
    ImmutableList<GpuUse> gpus =
        Stream.concat(listed(ledger, obstacle.isEmpty(), holders), lost(ledger, holders))
            .collect(toImmutableList());
    return new NodeUse(ledger.inventory(), obstacle, gpus);
  }

  private static Stream<GpuUse> listed(
      NodeLedger ledger, boolean serving, ImmutableListMultimap<String, DeviceHolder> holders) {
    return IntStream.range(0, ledger.inventory().gpus().size())
        .mapToObj(i -> ledger.inventory().gpus().get(i))
        .map(gpu -> new GpuUse.Listed(ledger.node(), gpu, holders.get(gpu.uuid())))
        .map(gpu -> gpu.use(serving));
  }

  private static Stream<GpuUse> lost(
      NodeLedger ledger, ImmutableListMultimap<String, DeviceHolder> holders) {
    return ledger.lost().values().stream()
        .flatMap(Set::stream)
        .distinct()
        .sorted()
        .map(uuid -> GpuUse.unlisted(ledger.node(), uuid, isKnown(ledger), holders.get(uuid)));
  }

  /** Its name. */
  public String name() {
    return inventory.node().name();
  }

  /** How many of its GPUs match. */
  public int count(Predicate<GpuUse> so) {
    return (int) gpus.stream().filter(so).count();
  }

  /** How many of its GPUs are in this state. */
  public int count(GpuUse.State state) {
    return count(gpu -> gpu.state() == state);
  }
}
