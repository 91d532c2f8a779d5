package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.device.nvml.NvLink;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The GPUs that reach each other without the PCIe bus, as {@code nvidia-smi topo -m} counts it
 * (nvidia.md 1.5): links from one to the other, and where both end at switches the fewer of both.
 *
 * @param links of each GPU, by UUID
 * @param busIds UUIDs of the GPUs by their place
 */
record GpuTopology(
    ImmutableMap<String, ImmutableList<NvLink>> links, ImmutableMap<String, String> busIds) {

  /** One entry for a box with switches, one for each pair of a mesh. */
  ImmutableList<GpuLink> connections() {
    ImmutableMap<String, Integer> switched =
        links.keySet().stream()
            .filter(uuid -> toSwitches(uuid) > 0)
            .collect(toImmutableMap(uuid -> uuid, this::toSwitches));
    if (switched.size() > 1 && ImmutableSet.copyOf(switched.values()).size() == 1) {
      int lanes = switched.values().iterator().next();
      return ImmutableList.of(new GpuLink(switched.keySet(), GpuLink.Type.NVSWITCH, lanes));
    }
    return pairs();
  }

  private ImmutableList<GpuLink> pairs() {
    ImmutableList.Builder<GpuLink> pairs = ImmutableList.builder();
    Set<String> seen = new HashSet<>();
    for (String one : links.keySet()) {
      seen.add(one);
      for (String other : links.keySet()) {
        if (!seen.contains(other)) {
          pair(one, other).ifPresent(pairs::add);
        }
      }
    }
    return pairs.build();
  }

  private Optional<GpuLink> pair(String one, String other) {
    int direct = between(one, other);
    int switched = Math.min(toSwitches(one), toSwitches(other));
    if (direct + switched == 0) {
      return Optional.empty();
    }
    GpuLink.Type type = direct > 0 ? GpuLink.Type.NVLINK : GpuLink.Type.NVSWITCH;
    return Optional.of(
        new GpuLink(ImmutableSet.of(one, other), type, direct > 0 ? direct : switched));
  }

  private int between(String one, String other) {
    return (int)
        of(one).stream().filter(link -> other.equals(busIds.get(link.remoteBusId()))).count();
  }

  /** A virtual machine does not show the switches: links without a remote end lead to them. */
  private int toSwitches(String uuid) {
    return (int)
        of(uuid).stream()
            .filter(link -> !busIds.containsKey(link.remoteBusId()))
            .filter(link -> link.end() == NvLink.End.SWITCH || link.end() == NvLink.End.UNKNOWN)
            .count();
  }

  private ImmutableList<NvLink> of(String uuid) {
    return links.getOrDefault(uuid, ImmutableList.of());
  }
}
