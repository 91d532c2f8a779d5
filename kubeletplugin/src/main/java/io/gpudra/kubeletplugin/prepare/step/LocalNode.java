package io.gpudra.kubeletplugin.prepare.step;

import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.pods.NodePods;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The node of the plugin.
 *
 * @param name the node's name, as in grants
 * @param bootId differs after each boot of the machine
 * @param pods the pods of the node
 * @param deafRuntime the reason why containers would start without their prepared devices, if so
 */
public record LocalNode(
    String name,
    String bootId,
    GpuDevices devices,
    CdiSpecs specs,
    CheckpointStore checkpoint,
    NodePods pods,
    Supplier<Optional<String>> deafRuntime) {

  /** The reason why no claim can be prepared now, if so. */
  public Optional<PrepareRefusal> refusal() {
    return unreachable()
        .or(
            () ->
                deafRuntime.get().map(why -> new PrepareRefusal(PrepareRefusal.Kind.FAILED, why)));
  }

  /** The reason why the GPUs cannot be changed now, if so. */
  public Optional<PrepareRefusal> unreachable() {
    return devices
        .unreachable()
        .map(
            why ->
                new PrepareRefusal(PrepareRefusal.Kind.FAILED, "no GPU can be served yet: " + why));
  }

  /** The reason why containers with this grant wait, if they do. */
  public Optional<String> queue(Grant grant) {
    return MpsClients.of(grant).flatMap(clients -> devices.mpsQueue(clients.name()));
  }
}
