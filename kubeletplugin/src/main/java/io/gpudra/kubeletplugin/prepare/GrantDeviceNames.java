package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import java.util.Optional;

/**
 * The names of a grant's devices on this node. Any client that may write the status of claims
 * writes handles, and paths are made of the names, so the names in a handle are not trusted.
 */
final class GrantDeviceNames {

  private GrantDeviceNames() {}

  /** The same request; a device of a GPU that the node does not have keeps its name. */
  static PrepareRequest in(PrepareRequest sent, GpuDevices node) {
    return sent.with(of(sent.grant(), node));
  }

  private static Grant of(Grant grant, GpuDevices node) {
    return new Grant(
        grant.claim(),
        grant.node(),
        grant.epoch(),
        grant.generation(),
        grant.at(),
        grant.devices().stream().map(device -> named(device, node)).collect(toImmutableList()));
  }

  private static GrantedDevice named(GrantedDevice device, GpuDevices node) {
    Optional<Gpu> gpu = node.find(device.uuid());
    return gpu.isEmpty()
        ? device
        : new GrantedDevice(name(device, gpu.get()), device.part(), device.parent());
  }

  private static String name(GrantedDevice device, Gpu gpu) {
    return device.part().part() instanceof Slice slice ? slice.nameOn(gpu.name()) : gpu.name();
  }
}
