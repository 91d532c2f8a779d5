package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.Collections2;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A node's GPUs as the driver reported them.
 *
 * @param gpus by UUID, in the order of the driver
 */
record DiscoveredGpus(
    ImmutableMap<String, DiscoveredGpu> gpus,
    ImmutableList<GpuLink> links,
    String driverVersion,
    String cudaDriverVersion) {

  /** The GPUs in the order of the driver. */
  ImmutableList<Gpu> listed() {
    return gpus.values().stream().map(DiscoveredGpu::gpu).collect(toImmutableList());
  }

  /**
   * The same GPUs, discovered after other ones: a GPU keeps its name as long as it is known, a new
   * one gets a free name, and one that is no longer found stays, without a working handle.
   */
  DiscoveredGpus after(DiscoveredGpus before) {
    Map<String, DiscoveredGpu> all = new LinkedHashMap<>(before.gpus);
    for (DiscoveredGpu gpu : gpus.values()) {
      DiscoveredGpu known = before.gpus.get(gpu.gpu().uuid());
      int index =
          known == null
              ? free(Collections2.transform(all.values(), DiscoveredGpu::gpu), gpu.gpu().index())
              : known.gpu().index();
      all.put(gpu.gpu().uuid(), gpu.at(index));
    }
    return new DiscoveredGpus(
        all.values().stream()
            .sorted(Comparator.comparingInt(gpu -> gpu.gpu().index()))
            .collect(toImmutableMap(gpu -> gpu.gpu().uuid(), gpu -> gpu)),
        links,
        driverVersion,
        cudaDriverVersion);
  }

  /** An index that no GPU has, the wanted one if possible. */
  static int free(Collection<Gpu> taken, int wanted) {
    return IntStream.concat(IntStream.of(wanted), IntStream.range(0, taken.size() + 1))
        .filter(index -> taken.stream().noneMatch(gpu -> gpu.index() == index))
        .findFirst()
        .orElseThrow();
  }

  /** The same GPUs, with another state of one of them. */
  DiscoveredGpus with(DiscoveredGpu changed) {
    return new DiscoveredGpus(
        gpus.values().stream()
            .map(gpu -> gpu.gpu().uuid().equals(changed.gpu().uuid()) ? changed : gpu)
            .collect(toImmutableMap(gpu -> gpu.gpu().uuid(), gpu -> gpu)),
        links,
        driverVersion,
        cudaDriverVersion);
  }
}
