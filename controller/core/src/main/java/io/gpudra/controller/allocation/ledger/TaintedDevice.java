package io.gpudra.controller.allocation.ledger;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.PartHolding;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A GPU or MIG device of a node that has taints.
 *
 * @param migDevice the MIG device of the GPU; absent for the GPU itself
 */
public record TaintedDevice(NodeLedger ledger, Gpu gpu, Optional<MigState.Device> migDevice) {

  /** All GPUs and MIG devices of the node that have taints. */
  public static Stream<TaintedDevice> of(NodeLedger ledger) {
    return ledger.inventory().gpus().stream().flatMap(gpu -> of(ledger, gpu));
  }

  private static Stream<TaintedDevice> of(NodeLedger ledger, Gpu gpu) {
    Stream<Optional<MigState.Device>> devices = gpu.mig().devices().stream().map(Optional::of);
    return Stream.concat(Stream.of(Optional.<MigState.Device>empty()), devices)
        .map(device -> new TaintedDevice(ledger, gpu, device))
        .filter(one -> !one.taints().isEmpty());
  }

  /** The UUID of the MIG device or the GPU. */
  public String uuid() {
    return migDevice.map(MigState.Device::uuid).orElse(gpu.uuid());
  }

  /** Such as {@code gpu-0} or {@code gpu-0-mig-1g.10gb-2}. */
  public String name() {
    return migDevice.map(device -> device.slice().nameOn(gpu.name())).orElse(gpu.name());
  }

  public ImmutableList<DeviceTaint> taints() {
    return migDevice.map(MigState.Device::taints).orElse(gpu.taints());
  }

  /** Claims that hold the device, or a part of it. */
  public Stream<Map.Entry<ClaimUid, Hold>> holders() {
    return ledger.holds().entrySet().stream()
        .filter(hold -> isHeldBy(hold.getKey(), hold.getValue()));
  }

  private boolean isHeldBy(ClaimUid claim, Hold hold) {
    return hold.devices()
        .filter(held -> held.uuid().equals(gpu.uuid()))
        .anyMatch(held -> migDevice.map(new PartHolding(claim, held.part())::has).orElse(true));
  }
}
