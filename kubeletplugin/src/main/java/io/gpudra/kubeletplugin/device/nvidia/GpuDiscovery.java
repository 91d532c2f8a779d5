package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile.Placement;
import io.gpudra.kubeletplugin.device.nvml.NvLink;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import io.gpudra.kubeletplugin.device.nvml.NvmlMig;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from the driver all values of a GPU in the inventory (api.md 4.2).
 *
 * @param servers whether the driver has the program that shares a GPU among processes
 */
record GpuDiscovery(Nvml driver, PciTree pci, boolean servers) {

  private static final Logger log = LoggerFactory.getLogger(GpuDiscovery.class);
  private static final long MIB = 1L << 20;

  /** The order of {@code nvidia-smi}: the smallest first, those with engines of their own last. */
  private static final Comparator<GpuInstanceProfile> AS_LISTED =
      Comparator.comparingInt(GpuInstanceProfile::compute)
          .thenComparingInt(GpuInstanceProfile::size)
          .thenComparingInt(GpuInstanceProfile::number);

  /** All GPUs that answer; one that does not is omitted. */
  DiscoveredGpus find() throws NvmlException {
    ImmutableMap.Builder<String, DiscoveredGpu> gpus = ImmutableMap.builder();
    ImmutableMap.Builder<String, ImmutableList<NvLink>> links = ImmutableMap.builder();
    for (NvmlGpu handle : driver.gpus(GpuDiscovery::reportExcluded)) {
      try {
        String uuid = handle.uuid();
        ImmutableList<NvLink> itsLinks = handle.links();
        gpus.put(uuid, gpu(handle, uuid, !itsLinks.isEmpty()));
        links.put(uuid, itsLinks);
      } catch (NvmlException e) {
        reportExcluded(handle.index(), e);
      }
    }
    ImmutableMap<String, DiscoveredGpu> all = gpus.buildOrThrow();
    return new DiscoveredGpus(
        all,
        connections(all, links.buildOrThrow()),
        driver.driverVersion(),
        driver.cudaDriverVersion());
  }

  private static void reportExcluded(int index, NvmlException reason) {
    log.warn(
        "ignoring a GPU that does not answer index={} reason=\"{}{}\"",
        index,
        reason.getMessage(),
        NvmlSession.remedy(reason.answer()));
  }

  private static ImmutableList<GpuLink> connections(
      ImmutableMap<String, DiscoveredGpu> gpus, ImmutableMap<String, ImmutableList<NvLink>> links) {
    return new GpuTopology(
            links,
            gpus.values().stream()
                .map(DiscoveredGpu::gpu)
                .collect(toImmutableMap(Gpu::pcieBusId, Gpu::uuid, (first, same) -> first)))
        .connections();
  }

  private DiscoveredGpu gpu(NvmlGpu handle, String uuid, boolean linked) throws NvmlException {
    long memory = handle.memoryBytes().orElse(0L);
    int architecture = handle.architecture().orElse(0);
    ImmutableMap<String, GpuInstanceProfile> profiles = profiles(handle, memory);
    String busId = handle.pcieBusId();
    Gpu gpu =
        new Gpu.Builder(uuid, handle.index(), model(handle, memory, linked, profiles), memory)
            .minor(handle.minor())
            .pcieBusId(busId)
            .pcieRoot(pci.root(busId))
            .numaNode(pci.numaNode(busId))
            .attributes(pci.attributes(busId))
            .build();
    DiscoveredGpu found = new DiscoveredGpu(gpu, handle, architecture, profiles);
    return found.with(new GpuInstances(found).state());
  }

  private GpuModel model(
      NvmlGpu handle,
      long memory,
      boolean linked,
      ImmutableMap<String, GpuInstanceProfile> profiles)
      throws NvmlException {
    String productName = handle.name();
    String compute = handle.cudaComputeCapability();
    ImmutableSortedSet.Builder<String> capabilities = ImmutableSortedSet.naturalOrder();
    capabilities.addAll(NvmlCatalogue.capabilities(compute, productName));
    Optional<NvmlMig.Mode> mig = handle.mig().mode();
    mig.ifPresent(mode -> capabilities.add("mig"));
    if (linked) {
      capabilities.add("nvlink");
    }
    if (handle.ecc()) {
      capabilities.add("ecc");
    }
    if (servers && NvmlCatalogue.canBeServed(compute)) {
      capabilities.add("mps");
    }
    return new GpuModel(
        productName,
        NvmlCatalogue.brand(handle.brand()),
        handle.architecture().map(NvmlCatalogue::architecture).orElse(""),
        compute,
        MemorySize.nominalOfReported(memory),
        capabilities.build(),
        profiles.entrySet().stream()
            .map(profile -> profile(profile.getKey(), profile.getValue()))
            .collect(toImmutableList()));
  }

  /**
   * The profiles, which the driver reports to a privileged process only. Without them, a GPU
   * without MIG devices is served whole, and one with MIG devices cannot be served at all.
   */
  private static ImmutableMap<String, GpuInstanceProfile> profiles(NvmlGpu handle, long memory)
      throws NvmlException {
    try {
      return driverProfiles(handle, memory);
    } catch (NvmlException e) {
      if (e.answer() != NvmlReturn.NO_PERMISSION || isCut(handle)) {
        throw e;
      }
      log.warn(
          "driver hides MIG profiles from a plugin without CAP_SYS_ADMIN index={} reason=\"{}\"",
          handle.index(),
          e.getMessage());
      return ImmutableMap.of();
    }
  }

  private static boolean isCut(NvmlGpu handle) throws NvmlException {
    return handle.mig().mode().filter(NvmlMig.Mode::enabled).isPresent();
  }

  private static ImmutableMap<String, GpuInstanceProfile> driverProfiles(
      NvmlGpu handle, long memory) throws NvmlException {
    return handle.mig().profiles().stream()
        .sorted(AS_LISTED)
        .collect(
            toImmutableMap(
                profile -> MigNames.of(profile, memory / MIB),
                profile -> profile,
                (first, same) -> first));
  }

  private static MigProfile profile(String name, GpuInstanceProfile found) {
    return new MigProfile(
        name,
        found.memoryMib() * MIB,
        found.compute(),
        found.size(),
        found.placements().stream()
            .map(Placement::start)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Integer::compare)),
        Math.min(found.most(), found.placements().size()));
  }
}
