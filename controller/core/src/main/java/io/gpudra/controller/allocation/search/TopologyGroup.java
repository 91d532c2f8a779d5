package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.mig.LayoutBudget;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceConstraints.Connection;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A set of a node's devices that satisfies the constraints of a claim.
 *
 * @param gpus as bits
 * @param ofParts attribute values that parts must have, where parts of one GPU may differ
 */
public record TopologyGroup(long gpus, ImmutableMap<MatchAttribute, String> ofParts) {
  /** The cost of one group, in ways to divide a GPU. */
  private static final int STEP = 10;

  public static final TopologyGroup ALL = new TopologyGroup(-1, ImmutableMap.of());

  /** The group without devices. */
  public static final TopologyGroup NONE = new TopologyGroup(0, ImmutableMap.of());

  /**
   * All groups, none inside another where it matters; the fewest GPUs first. Only some of them if
   * the budget is not enough.
   */
  public static ImmutableList<TopologyGroup> of(
      Inventory inventory, DeviceConstraints deviceConstraints, LayoutBudget layoutBudget) {
    if (deviceConstraints.isAnyhow()) {
      return ImmutableList.of(ALL);
    }
    List<TopologyGroup> groups =
        deviceConstraints
            .topology()
            .map(linked -> Connected.by(linked.connection(), inventory, layoutBudget))
            .orElseGet(() -> List.of(ALL));
    for (MatchAttribute attribute : deviceConstraints.same()) {
      groups = each(groups, alike(inventory, attribute), layoutBudget);
    }
    return groups.stream()
        .sorted(
            comparingInt((TopologyGroup group) -> Long.bitCount(group.gpus))
                .thenComparing(TopologyGroup::gpus))
        .distinct()
        .collect(toImmutableList());
  }

  private static List<TopologyGroup> each(
      List<TopologyGroup> groups, List<TopologyGroup> more, LayoutBudget layoutBudget) {
    return groups.stream()
        .flatMap(one -> more.stream().map(one::and))
        .takeWhile(unused -> layoutBudget.spend(STEP))
        .filter(group -> group.gpus != 0)
        .distinct()
        .toList();
  }

  private TopologyGroup and(TopologyGroup other) {
    return new TopologyGroup(
        gpus & other.gpus,
        ImmutableMap.<MatchAttribute, String>builder()
            .putAll(ofParts)
            .putAll(other.ofParts)
            .buildOrThrow());
  }

  private static List<TopologyGroup> alike(Inventory inventory, MatchAttribute attribute) {
    return switch (attribute) {
      case PRODUCT_NAME -> byValue(inventory, gpu -> gpu.model().productName());
      case ARCHITECTURE -> byValue(inventory, gpu -> gpu.model().architecture());
      case BRAND -> byValue(inventory, gpu -> gpu.model().brand());
      case CUDA_COMPUTE_CAPABILITY ->
          byValue(inventory, gpu -> gpu.model().cudaComputeCapability());
      case NUMA_NODE -> Connected.numa(inventory);
      case PCIE_ROOT -> byValue(inventory, Gpu::pcieRoot);
      case PARENT_UUID ->
          byValue(inventory, Gpu::uuid).stream()
              .map(group -> new TopologyGroup(group.gpus, ImmutableMap.of(attribute, "")))
              .toList();
      case MEMORY, MIG_PROFILE ->
          inventory.gpus().stream()
              .flatMap(gpu -> values(gpu, attribute))
              .distinct()
              .map(value -> new TopologyGroup(-1, ImmutableMap.of(attribute, value)))
              .toList();
    };
  }

  private static Stream<String> values(Gpu gpu, MatchAttribute attribute) {
    Stream<String> ofSlices = gpu.model().migProfiles().stream().map(one -> value(one, attribute));
    return attribute == MatchAttribute.MEMORY
        ? Stream.concat(Stream.of(Long.toString(gpu.memoryBytes())), ofSlices)
        : ofSlices;
  }

  private static String value(MigProfile profile, MatchAttribute attribute) {
    return attribute == MatchAttribute.MEMORY
        ? Long.toString(profile.memoryBytes())
        : profile.name();
  }

  /** Groups of GPUs with an equal value; an unknown value equals no other. */
  static List<TopologyGroup> byValue(Inventory inventory, Function<Gpu, String> value) {
    List<Gpu> gpus = inventory.gpus();
    ImmutableSet<String> values =
        gpus.stream()
            .map(value)
            .filter(one -> !one.isEmpty())
            .collect(ImmutableSet.toImmutableSet());
    return values.stream()
        .map(
            one ->
                new TopologyGroup(
                    where(gpus, gpu -> value.apply(gpu).equals(one)), ImmutableMap.of()))
        .toList();
  }

  private static long where(List<Gpu> gpus, Predicate<Gpu> will) {
    return IntStream.range(0, Math.min(Long.SIZE, gpus.size()))
        .filter(i -> will.test(gpus.get(i)))
        .mapToLong(i -> 1L << i)
        .reduce(0, (a, b) -> a | b);
  }

  /** The GPUs among these that belong to the group as a whole. */
  long whole(long matching, Inventory inventory) {
    if (ofParts.containsKey(MatchAttribute.MIG_PROFILE)
        || ofParts.containsKey(MatchAttribute.PARENT_UUID)) {
      return 0;
    }
    String memory = ofParts.get(MatchAttribute.MEMORY);
    long alike =
        memory == null
            ? -1
            : where(inventory.gpus(), gpu -> Long.toString(gpu.memoryBytes()).equals(memory));
    return matching & gpus & alike;
  }

  /** Whether MIG devices of the profile belong to the group. */
  boolean slices(int gpu, MigProfile profile) {
    return (gpus >> gpu & 1) == 1 && (ofParts.isEmpty() || agrees(profile));
  }

  private boolean agrees(MigProfile profile) {
    return ofParts.entrySet().stream()
        .filter(entry -> entry.getKey() != MatchAttribute.PARENT_UUID)
        .allMatch(entry -> value(profile, entry.getKey()).equals(entry.getValue()));
  }

  /** The maximal sets of GPUs in which every pair is connected. */
  static final class Connected {
    private final LinkGraph links;
    private final LayoutBudget layoutBudget;
    private final List<TopologyGroup> found = new ArrayList<>();

    private Connected(LinkGraph links, LayoutBudget layoutBudget) {
      this.links = links;
      this.layoutBudget = layoutBudget;
    }

    /**
     * The sets by one connection; only some of them if a graph of 64 GPUs has more than can be
     * searched.
     */
    static List<TopologyGroup> by(
        Connection connection, Inventory inventory, LayoutBudget layoutBudget) {
      return switch (connection) {
        case PCIE -> TopologyGroup.byValue(inventory, Gpu::pcieRoot);
        case NUMA -> numa(inventory);
        case NVLINK -> linked(inventory, layoutBudget);
      };
    }

    /** A machine that reports -1 for all its GPUs is one NUMA node. */
    static List<TopologyGroup> numa(Inventory inventory) {
      return inventory.gpus().stream().allMatch(gpu -> gpu.numaNode() < 0)
          ? List.of(TopologyGroup.ALL)
          : TopologyGroup.byValue(
              inventory, gpu -> gpu.numaNode() < 0 ? "" : Integer.toString(gpu.numaNode()));
    }

    private static List<TopologyGroup> linked(Inventory inventory, LayoutBudget layoutBudget) {
      int gpus = Math.min(Long.SIZE, inventory.gpus().size());
      Connected cliques = new Connected(LinkGraph.of(inventory), layoutBudget);
      cliques.extend(0, gpus == Long.SIZE ? -1 : (1L << gpus) - 1, 0);
      return cliques.found;
    }

    /** Bron and Kerbosch, with the best connected GPU as pivot. */
    private void extend(long clique, long candidates, long excluded) {
      if (!layoutBudget.spend(STEP)) {
        return;
      }
      if (candidates == 0) {
        if (excluded == 0) {
          found.add(new TopologyGroup(clique, ImmutableMap.of()));
        }
        return;
      }
      long left = candidates;
      long out = excluded;
      for (long next = candidates & ~links.of(pivot(candidates | excluded, candidates));
          next != 0;
          next &= next - 1) {
        int gpu = Long.numberOfTrailingZeros(next);
        extend(clique | 1L << gpu, left & links.of(gpu), out & links.of(gpu));
        left &= ~(1L << gpu);
        out |= 1L << gpu;
      }
    }

    private int pivot(long among, long candidates) {
      int best = Long.numberOfTrailingZeros(among);
      for (long rest = among & among - 1; rest != 0; rest &= rest - 1) {
        int gpu = Long.numberOfTrailingZeros(rest);
        if (Long.bitCount(links.of(gpu) & candidates)
            > Long.bitCount(links.of(best) & candidates)) {
          best = gpu;
        }
      }
      return best;
    }
  }
}
