package io.gpudra.controller.allocation.ledger;

import static com.google.common.base.Suppliers.memoize;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Values derived from a node's devices and their holders; {@link NodeLedger} documents each. They
 * are computed once, at the first request, since a ledger has many readers.
 */
final class LedgerFindings {
  private final Inventory inventory;
  private final ImmutableMap<ClaimUid, Hold> holds;
  private final ImmutableMap<ClaimUid, ClaimRef> unseen;
  private final boolean acceptsClaims;

  private final Supplier<ImmutableSet<String>> occupied = memoize(this::findOccupied);
  private final Supplier<ImmutableSet<String>> draining = memoize(this::findDraining);
  private final Supplier<ImmutableMap<ClaimUid, ImmutableSet<String>>> lost =
      memoize(this::findLost);
  private final Supplier<Long> freeMask = memoize(this::findFree);
  private final Supplier<ImmutableList<GpuUsage>> usages = memoize(this::findUsages);
  private final Supplier<ImmutableList<GpuStatus>> statuses = memoize(this::findStatuses);
  private final Supplier<ImmutableSet<String>> names = memoize(this::findNames);

  LedgerFindings(
      Inventory inventory,
      ImmutableMap<ClaimUid, Hold> holds,
      ImmutableMap<ClaimUid, ClaimRef> unseen,
      boolean acceptsClaims) {
    this.inventory = inventory;
    this.holds = holds;
    this.unseen = unseen;
    this.acceptsClaims = acceptsClaims;
  }

  ImmutableSet<String> occupied() {
    return occupied.get();
  }

  ImmutableSet<String> draining() {
    return draining.get();
  }

  ImmutableMap<ClaimUid, ImmutableSet<String>> lost() {
    return lost.get();
  }

  long freeMask() {
    return freeMask.get();
  }

  ImmutableList<GpuUsage> usages() {
    return usages.get();
  }

  ImmutableList<GpuStatus> statuses() {
    return statuses.get();
  }

  ImmutableSet<String> leftoverDevices(PreparedClaim claim) {
    Hold hold = holds.get(claim.uid());
    return hold == null
        ? claim.deviceUuids()
        : claim.deviceUuids().stream().filter(uuid -> !hold.names(uuid)).collect(toImmutableSet());
  }

  /** The keys by which the kubelet knows claims of this node. */
  ImmutableSet<String> names() {
    return names.get();
  }

  boolean sharesDevices() {
    return Stream.concat(
            holds.values().stream().flatMap(Hold::devices).map(GrantedDevice::part),
            inventory.prepared().stream().flatMap(claim -> claim.parts().stream()))
        .anyMatch(part -> !(part.part() instanceof Part.Whole));
  }

  private ImmutableSet<String> findOccupied() {
    ImmutableSet.Builder<String> occupied = ImmutableSet.builder();
    holds.values().forEach(hold -> hold.devices().forEach(device -> occupied.add(device.uuid())));
    inventory.prepared().forEach(claim -> occupied.addAll(claim.deviceUuids()));
    return occupied.build();
  }

  private ImmutableSet<String> findDraining() {
    ImmutableSet<String> held =
        holds.values().stream()
            .flatMap(Hold::devices)
            .map(GrantedDevice::uuid)
            .collect(toImmutableSet());
    return inventory.prepared().stream()
        .flatMap(claim -> claim.deviceUuids().stream())
        .filter(uuid -> !held.contains(uuid))
        .collect(toImmutableSet());
  }

  private ImmutableMap<ClaimUid, ImmutableSet<String>> findLost() {
    if (!inventory.isPlausible()) {
      return ImmutableMap.of();
    }
    ImmutableSet<String> known = inventory.gpus().stream().map(Gpu::uuid).collect(toImmutableSet());
    ImmutableMap.Builder<ClaimUid, ImmutableSet<String>> lost = ImmutableMap.builder();
    holds.forEach(
        (claim, hold) -> {
          ImmutableSet<String> missing =
              hold.devices()
                  .map(GrantedDevice::uuid)
                  .filter(uuid -> !known.contains(uuid))
                  .collect(toImmutableSet());
          if (!missing.isEmpty()) {
            lost.put(claim, missing);
          }
        });
    return lost.buildOrThrow();
  }

  private long findFree() {
    long free = 0;
    for (int i = 0; i < Math.min(Long.SIZE, inventory.gpus().size()); i++) {
      Gpu gpu = inventory.gpus().get(i);
      free |= occupied().contains(gpu.uuid()) || hasOthersSlices(gpu) ? 0 : 1L << i;
    }
    return free;
  }

  static boolean hasOthersSlices(Gpu gpu) {
    return !gpu.mig().devices().isEmpty()
        && gpu.mig().devices().stream().anyMatch(device -> device.claim().isEmpty());
  }

  private ImmutableList<GpuUsage> findUsages() {
    ImmutableListMultimap.Builder<String, PartHolding> all = ImmutableListMultimap.builder();
    holds.forEach(
        (claim, hold) ->
            hold.devices()
                .forEach(device -> all.put(device.uuid(), new PartHolding(claim, device.part()))));
    for (PreparedClaim claim : inventory.prepared()) {
      claim.parts().forEach(part -> all.put(part.gpuUuid(), new PartHolding(claim.uid(), part)));
    }
    ImmutableListMultimap<String, PartHolding> byGpu = all.build();
    return inventory.gpus().stream()
        .map(gpu -> GpuUsage.of(GpuShape.of(gpu), byGpu.get(gpu.uuid())))
        .collect(toImmutableList());
  }

  /** The usages are not kept: metrics ask this of all nodes, and their usages fill the heap. */
  private ImmutableList<GpuStatus> findStatuses() {
    ImmutableSet<String> leftoverDevices =
        inventory.prepared().stream()
            .flatMap(claim -> leftoverDevices(claim).stream())
            .collect(toImmutableSet());
    return Streams.zip(
            inventory.gpus().stream(),
            findUsages().stream(),
            (gpu, usage) ->
                GpuStatus.of(gpu, usage, acceptsClaims, leftoverDevices.contains(gpu.uuid())))
        .collect(toImmutableList());
  }

  private ImmutableSet<String> findNames() {
    return Streams.concat(
            holds.values().stream().map(Hold::ref),
            inventory.prepared().stream().map(PreparedClaim::ref),
            unseen.values().stream())
        .map(ClaimRef::kubeletKey)
        .collect(toImmutableSet());
  }
}
