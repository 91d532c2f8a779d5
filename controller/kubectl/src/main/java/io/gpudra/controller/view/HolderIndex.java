package io.gpudra.controller.view;

import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The holders of a node's GPUs. */
final class HolderIndex {
  private static final Comparator<DeviceHolder> BY_NAME =
      comparing((DeviceHolder holder) -> holder.ref().toString())
          .thenComparing(DeviceHolder::claim)
          .thenComparing(DeviceHolder::device);

  private final NodeLedger ledger;
  private final ImmutableMap<String, Gpu> gpus;
  private final Set<ClaimUid> prepared;

  private HolderIndex(NodeLedger ledger) {
    this.ledger = ledger;
    this.gpus =
        ledger.inventory().gpus().stream()
            .collect(ImmutableMap.toImmutableMap(Gpu::uuid, gpu -> gpu, (one, other) -> one));
    this.prepared =
        ledger.inventory().prepared().stream().map(PreparedClaim::uid).collect(Collectors.toSet());
  }

  /** The holders by UUID of the GPU, in the order of their names. */
  static ImmutableListMultimap<String, DeviceHolder> of(NodeLedger ledger) {
    HolderIndex all = new HolderIndex(ledger);
    return Stream.concat(
            ledger.holds().entrySet().stream().flatMap(all::granted),
            ledger.inventory().prepared().stream().flatMap(all::leftovers))
        .sorted(BY_NAME)
        .collect(
            ImmutableListMultimap.toImmutableListMultimap(
                holder -> holder.part().gpuUuid(), holder -> holder));
  }

  private Stream<DeviceHolder> granted(Map.Entry<ClaimUid, Hold> held) {
    return grants(held.getValue())
        .flatMap(grant -> grant.devices().stream().map(device -> holder(held, grant, device)))
        .distinct();
  }

  private static Stream<Grant> grants(Hold hold) {
    return Stream.concat(hold.inApi().stream(), hold.inFlight().stream().map(Hold.InFlight::grant))
        .distinct();
  }

  private DeviceHolder holder(Map.Entry<ClaimUid, Hold> held, Grant grant, GrantedDevice device) {
    return new DeviceHolder(
        held.getKey(),
        held.getValue().ref(),
        device.part(),
        device.name(),
        Optional.of(grant),
        prepared.contains(held.getKey()));
  }

  /** The devices that the node has prepared but that are not allocated. */
  private Stream<DeviceHolder> leftovers(PreparedClaim claim) {
    ImmutableSet<String> leftoverDevices = ledger.leftoverDevices(claim);
    return claim.parts().stream()
        .filter(part -> leftoverDevices.contains(part.gpuUuid()))
        .map(
            part ->
                new DeviceHolder(
                    claim.uid(),
                    claim.ref(),
                    part,
                    DeviceHolder.nameOf(part, Optional.ofNullable(gpus.get(part.gpuUuid()))),
                    Optional.empty(),
                    /* prepared= */ true));
  }
}
