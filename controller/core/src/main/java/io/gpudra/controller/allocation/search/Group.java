package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.request.Alike;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Together.By;
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
public record Group(long gpus, ImmutableMap<Alike, String> ofParts) {
  /** What it costs to look at one, in ways to cut a GPU. */
  private static final int STEP = 10;

  public static final Group ALL = new Group(-1, ImmutableMap.of());

  /** The group without devices. */
  public static final Group NONE = new Group(0, ImmutableMap.of());

  /**
   * All of them, none inside another as long as it matters; the fewest GPUs first. Where the effort
   * is not enough, some of them.
   */
  public static ImmutableList<Group> of(Inventory inventory, Together together, Effort effort) {
    if (together.isAnyhow()) {
      return ImmutableList.of(ALL);
    }
    List<Group> groups =
        together
            .topology()
            .map(linked -> Connected.by(linked.by(), inventory, effort))
            .orElseGet(() -> List.of(ALL));
    for (Alike attribute : together.same()) {
      groups = each(groups, alike(inventory, attribute), effort);
    }
    return groups.stream()
        .sorted(comparingInt((Group group) -> Long.bitCount(group.gpus)).thenComparing(Group::gpus))
        .distinct()
        .collect(toImmutableList());
  }

  private static List<Group> each(List<Group> groups, List<Group> more, Effort effort) {
    return groups.stream()
        .flatMap(one -> more.stream().map(one::and))
        .takeWhile(unused -> effort.spend(STEP))
        .filter(group -> group.gpus != 0)
        .distinct()
        .toList();
  }

  private Group and(Group other) {
    return new Group(
        gpus & other.gpus,
        ImmutableMap.<Alike, String>builder().putAll(ofParts).putAll(other.ofParts).buildOrThrow());
  }

  private static List<Group> alike(Inventory inventory, Alike attribute) {
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
              .map(group -> new Group(group.gpus, ImmutableMap.of(attribute, "")))
              .toList();
      case MEMORY, MIG_PROFILE ->
          inventory.gpus().stream()
              .flatMap(gpu -> values(gpu, attribute))
              .distinct()
              .map(value -> new Group(-1, ImmutableMap.of(attribute, value)))
              .toList();
    };
  }

  private static Stream<String> values(Gpu gpu, Alike attribute) {
    Stream<String> ofSlices = gpu.model().migProfiles().stream().map(one -> value(one, attribute));
    return attribute == Alike.MEMORY
        ? Stream.concat(Stream.of(Long.toString(gpu.memoryBytes())), ofSlices)
        : ofSlices;
  }

  private static String value(MigProfile profile, Alike attribute) {
    return attribute == Alike.MEMORY ? Long.toString(profile.memoryBytes()) : profile.name();
  }

  /** Groups of GPUs with an equal value; an unknown one equals nothing. */
  static List<Group> byValue(Inventory inventory, Function<Gpu, String> value) {
    List<Gpu> gpus = inventory.gpus();
    ImmutableSet<String> values =
        gpus.stream()
            .map(value)
            .filter(one -> !one.isEmpty())
            .collect(ImmutableSet.toImmutableSet());
    return values.stream()
        .map(one -> new Group(where(gpus, gpu -> value.apply(gpu).equals(one)), ImmutableMap.of()))
        .toList();
  }

  private static long where(List<Gpu> gpus, Predicate<Gpu> will) {
    return IntStream.range(0, Math.min(Long.SIZE, gpus.size()))
        .filter(i -> will.test(gpus.get(i)))
        .mapToLong(i -> 1L << i)
        .reduce(0, (a, b) -> a | b);
  }

  /** The GPUs of these that belong to it as a whole. */
  long whole(long matching, Inventory inventory) {
    if (ofParts.containsKey(Alike.MIG_PROFILE) || ofParts.containsKey(Alike.PARENT_UUID)) {
      return 0;
    }
    String memory = ofParts.get(Alike.MEMORY);
    long alike =
        memory == null
            ? -1
            : where(inventory.gpus(), gpu -> Long.toString(gpu.memoryBytes()).equals(memory));
    return matching & gpus & alike;
  }

  /** Whether MIG devices of the profile belong to it. */
  boolean slices(int gpu, MigProfile profile) {
    return (gpus >> gpu & 1) == 1 && (ofParts.isEmpty() || agrees(profile));
  }

  private boolean agrees(MigProfile profile) {
    return ofParts.entrySet().stream()
        .filter(entry -> entry.getKey() != Alike.PARENT_UUID)
        .allMatch(entry -> value(profile, entry.getKey()).equals(entry.getValue()));
  }

  /** The maximal sets of GPUs in which every pair is connected. */
  static final class Connected {
    private final Links links;
    private final Effort effort;
    private final List<Group> found = new ArrayList<>();

    private Connected(Links links, Effort effort) {
      this.links = links;
      this.effort = effort;
    }

    /** A graph of 64 GPUs may have more sets than can be searched: then some of them. */
    static List<Group> by(By connection, Inventory inventory, Effort effort) {
      return switch (connection) {
        case PCIE -> Group.byValue(inventory, Gpu::pcieRoot);
        case NUMA -> numa(inventory);
        case NVLINK -> linked(inventory, effort);
      };
    }

    /** A machine that reports -1 for all its GPUs is one NUMA node. */
    static List<Group> numa(Inventory inventory) {
      return inventory.gpus().stream().allMatch(gpu -> gpu.numaNode() < 0)
          ? List.of(Group.ALL)
          : Group.byValue(
              inventory, gpu -> gpu.numaNode() < 0 ? "" : Integer.toString(gpu.numaNode()));
    }

    private static List<Group> linked(Inventory inventory, Effort effort) {
      int gpus = Math.min(Long.SIZE, inventory.gpus().size());
      Connected cliques = new Connected(Links.of(inventory), effort);
      cliques.extend(0, gpus == Long.SIZE ? -1 : (1L << gpus) - 1, 0);
      return cliques.found;
    }

    /** Bron and Kerbosch, with the best connected GPU as pivot. */
    private void extend(long clique, long candidates, long excluded) {
      if (!effort.spend(STEP)) {
        return;
      }
      if (candidates == 0) {
        if (excluded == 0) {
          found.add(new Group(clique, ImmutableMap.of()));
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
