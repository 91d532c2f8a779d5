package io.gpudra.controller.view;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The largest requests of one claim that fit now, by node. A node without an entry has no free
 * devices.
 *
 * @param gpus whole GPUs
 * @param profiles MIG devices
 * @param memoryBytes of a share of one GPU
 */
public record MaxRequest(
    ImmutableMap<String, Integer> gpus,
    ImmutableMap<String, String> profiles,
    ImmutableMap<String, Long> memoryBytes) {

  /** Statuses of a GPU that may be free as a whole. */
  private static final ImmutableSet<GpuStatus> WHOLE = Sets.immutableEnumSet(GpuStatus.FREE);

  /** Statuses of a GPU that may have a free part. */
  private static final ImmutableSet<GpuStatus> PARTS =
      Sets.immutableEnumSet(GpuStatus.FREE, GpuStatus.PARTLY_FREE, GpuStatus.DRAINING);

  private static final Comparator<MigProfile> LARGEST_FIRST =
      Comparator.comparing(MigProfile::size, Comparator.reverseOrder())
          .thenComparing(MigProfile::compute, Comparator.reverseOrder())
          .thenComparing(MigProfile::name);

  /** The largest requests for these nodes of the cluster. */
  public static MaxRequest of(ClusterSnapshot cluster, ImmutableList<NodeUse> nodes) {
    HypotheticalClaim hypotheticalClaim = new HypotheticalClaim(cluster);
    return new MaxRequest(
        gpus(hypotheticalClaim, having(nodes, WHOLE)),
        profiles(hypotheticalClaim, having(nodes, PARTS)),
        memory(nodes));
  }

  /** Nodes with a GPU of one of these statuses; no other node can have free devices. */
  private static ImmutableList<NodeUse> having(
      ImmutableList<NodeUse> nodes, ImmutableSet<GpuStatus> statuses) {
    return nodes.stream()
        .filter(node -> node.count(gpu -> statuses.contains(gpu.status())) > 0)
        .collect(toImmutableList());
  }

  private static ImmutableMap<String, Integer> gpus(
      HypotheticalClaim hypotheticalClaim, ImmutableList<NodeUse> nodes) {
    Map<String, Integer> most = new HashMap<>();
    ImmutableSet<String> names = nodes.stream().map(NodeUse::name).collect(toImmutableSet());
    ImmutableSet<String> left = hypotheticalClaim.fittingGpus(1, names);
    for (int count = 1; !left.isEmpty(); count++) {
      for (String node : left) {
        most.put(node, count);
      }
      left = hypotheticalClaim.fittingGpus(count + 1, left);
    }
    return ImmutableMap.copyOf(most);
  }

  private static ImmutableMap<String, String> profiles(
      HypotheticalClaim hypotheticalClaim, ImmutableList<NodeUse> nodes) {
    Map<String, String> largest = new HashMap<>();
    for (MigProfile profile : profiles(nodes)) {
      Set<String> having =
          nodes.stream()
              .filter(node -> offers(node, profile))
              .map(NodeUse::name)
              .collect(toImmutableSet());
      Set<String> open = Sets.difference(having, largest.keySet());
      hypotheticalClaim
          .fittingProfile(profile.name(), ImmutableSet.copyOf(open))
          .forEach(node -> largest.put(node, profile.name()));
    }
    return ImmutableMap.copyOf(largest);
  }

  private static boolean offers(NodeUse node, MigProfile profile) {
    return node.inventory().gpus().stream()
        .anyMatch(gpu -> gpu.model().migProfiles().contains(profile));
  }

  private static ImmutableList<MigProfile> profiles(ImmutableList<NodeUse> nodes) {
    return nodes.stream()
        .flatMap(node -> node.inventory().gpus().stream())
        .map(Gpu::model)
        .distinct()
        .flatMap(model -> model.migProfiles().stream())
        .distinct()
        .sorted(LARGEST_FIRST)
        .collect(toImmutableList());
  }

  private static ImmutableMap<String, Long> memory(ImmutableList<NodeUse> nodes) {
    return nodes.stream()
        .filter(node -> memory(node).isPresent())
        .collect(toImmutableMap(NodeUse::name, node -> memory(node).getAsLong()));
  }

  private static OptionalLong memory(NodeUse node) {
    return node.gpus().stream().mapToLong(GpuUse::shareableBytes).filter(bytes -> bytes > 0).max();
  }
}
