package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartConflict;
import io.gpudra.crds.usage.PartHolding;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The holdings of claims on the GPUs of a node. {@link GpuUsage} decides whether more fits.
 *
 * @param byGpu by the UUID of the GPU
 */
record DeviceOccupancy(ImmutableListMultimap<String, PartHolding> byGpu) {

  static DeviceOccupancy of(Map<ClaimUid, ClaimState> states) {
    return new DeviceOccupancy(
        states.entrySet().stream()
            .flatMap(e -> e.getValue().holding().map(held -> Map.entry(e.getKey(), held)).stream())
            .flatMap(e -> holdings(e.getKey(), e.getValue().grant().devices()).stream())
            .collect(toImmutableListMultimap(held -> held.part().gpuUuid(), held -> held)));
  }

  private static ImmutableList<PartHolding> holdings(
      ClaimUid claim, Collection<GrantedDevice> devices) {
    return devices.stream()
        .map(device -> new PartHolding(claim, device.part()))
        .collect(toImmutableList());
  }

  /** The reason why one claim could not hold these parts even on a free GPU. */
  static Optional<PartConflict> alone(Gpu gpu, ClaimUid claim, Collection<GrantedDevice> wanted) {
    GpuShape bare = GpuShape.bare(gpu);
    return GpuUsage.of(bare, holdings(claim, wanted)).conflict();
  }

  /** The reason why the claim cannot have these parts of the GPU now. */
  Optional<DeviceConflict> obstruction(Gpu gpu, ClaimUid claim, Collection<GrantedDevice> wanted) {
    GpuShape shape = GpuShape.of(withOwners(gpu));
    ImmutableList<PartHolding> mine = holdings(claim, wanted);
    ImmutableList<PartHolding> others =
        byGpu.get(gpu.uuid()).stream()
            .filter(held -> !held.claim().equals(claim))
            .collect(toImmutableList());
    return conflict(shape, mine, others)
        .map(
            why ->
                new DeviceConflict(
                    why,
                    conflict(shape, mine, ImmutableList.of()).isPresent()
                        ? ImmutableSet.of()
                        : inTheWay(shape, mine, others)));
  }

  /** The claims that conflict even alone; all claims, when only their sum matters. */
  private static ImmutableSet<ClaimUid> inTheWay(
      GpuShape shape, ImmutableList<PartHolding> mine, ImmutableList<PartHolding> others) {
    ImmutableSet<ClaimUid> each =
        others.stream()
            .filter(other -> conflict(shape, mine, ImmutableList.of(other)).isPresent())
            .map(PartHolding::claim)
            .collect(toImmutableSet());
    return each.isEmpty()
        ? others.stream().map(PartHolding::claim).collect(toImmutableSet())
        : each;
  }

  private static Optional<PartConflict> conflict(
      GpuShape shape, ImmutableList<PartHolding> mine, ImmutableList<PartHolding> others) {
    return GpuUsage.of(shape, ImmutableList.copyOf(Iterables.concat(mine, others))).conflict();
  }

  /** The GPU, with the claims for which its MIG devices were created; devices know no claims. */
  Gpu withOwners(Gpu gpu) {
    if (gpu.mig().devices().isEmpty()) {
      return gpu;
    }
    ImmutableList<MigState.Device> devices =
        gpu.mig().devices().stream()
            .map(device -> withOwner(gpu, device))
            .collect(toImmutableList());
    return gpu.with(gpu.mig().with(devices));
  }

  /** Other software is creating a half MIG device that was not created for a claim. */
  private MigState.Device withOwner(Gpu gpu, MigState.Device device) {
    Optional<ClaimUid> owner = madeFor(gpu.uuid(), device);
    boolean foreign = device.foreign() || (owner.isEmpty() && !device.isWhole());
    return new MigState.Device(device.uuid(), device.slice(), owner, foreign, device.taints());
  }

  private Optional<ClaimUid> madeFor(String gpuUuid, MigState.Device device) {
    return device.foreign()
        ? Optional.empty()
        : made(gpuUuid, device.slice())
            .sorted(Comparator.comparing(held -> !held.part().part().equals(device.slice())))
            .findFirst()
            .map(PartHolding::claim);
  }

  /** The holdings of the GPU instance that this driver created. */
  private Stream<PartHolding> made(String gpuUuid, Slice instance) {
    return byGpu.get(gpuUuid).stream()
        .filter(held -> !held.part().existing())
        .filter(held -> held.part().part() instanceof Slice s && s.sameInstance(instance));
  }

  /** Whether a claim holds something of the GPU instance. */
  boolean needsInstance(String gpuUuid, Slice instance) {
    return made(gpuUuid, instance).findAny().isPresent();
  }

  /** Whether a claim has a share of the GPU. */
  boolean shares(String gpuUuid) {
    return byGpu.get(gpuUuid).stream().anyMatch(held -> held.part().part() instanceof Part.Share);
  }
}
