package io.gpudra.kubeletplugin.prepare;

import static java.util.stream.Collectors.joining;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.PartConflict;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal.Kind;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.kubeletplugin.prepare.step.MpsClients;
import java.util.Collection;
import java.util.Optional;

/** Checks whether a grant is for this claim on this node. */
final class GrantRules {

  private GrantRules() {}

  static Optional<PrepareRefusal> problem(PrepareRequest request, LocalNode node) {
    Grant grant = request.grant();
    if (!CdiNames.canName(request.uid())) {
      return invalid("claim UID \"" + request.uid() + "\" is malformed");
    }
    if (!grant.claim().equals(request.uid())) {
      // The kubelet keeps handles by name, so it can send the handle of an earlier claim of the
      // same name.
      return invalid(
          "the handle was made for claim UID %s, not for %s"
              .formatted(grant.claim(), request.uid()));
    }
    if (!grant.node().equals(node.name())) {
      return invalid("the grant is for node %s, this is %s".formatted(grant.node(), node.name()));
    }
    if (grant.devices().stream().map(GrantRules::counted).distinct().count()
        < grant.devices().size()) {
      return invalid("the grant names a device twice");
    }
    Optional<String> unserved =
        MpsClients.of(grant).flatMap(clients -> clients.problem(node.devices().driverVersion()));
    if (unserved.isPresent()) {
      return invalid(unserved.get());
    }
    return request.byGpu().asMap().entrySet().stream()
        .flatMap(entry -> problem(node, entry.getKey(), entry.getValue(), request).stream())
        .findFirst();
  }

  private static ImmutableList<Object> counted(GrantedDevice device) {
    return ImmutableList.of(device.uuid(), device.part().part());
  }

  private static Optional<PrepareRefusal> problem(
      LocalNode node, String uuid, Collection<GrantedDevice> devices, PrepareRequest request) {
    Optional<Gpu> gpu = node.devices().find(uuid);
    if (gpu.isEmpty()) {
      return devices.stream().findFirst().map(device -> missing(device, node));
    }
    return DeviceOccupancy.alone(gpu.get(), request.uid(), devices)
        .map(why -> new PrepareRefusal(Kind.INVALID, impossible(gpu.get(), devices, why)));
  }

  private static String impossible(Gpu gpu, Collection<GrantedDevice> devices, PartConflict why) {
    return "%s (%s) can never give %s (%s)"
        .formatted(
            gpu.name(),
            gpu.uuid(),
            devices.stream().map(GrantedDevice::name).collect(joining(", ")),
            Ascii.toLowerCase(why.name().replace('_', ' ')));
  }

  private static Optional<PrepareRefusal> invalid(String text) {
    return Optional.of(new PrepareRefusal(Kind.INVALID, text));
  }

  private static PrepareRefusal missing(GrantedDevice device, LocalNode node) {
    return new PrepareRefusal(
        Kind.NO_DEVICE,
        "node %s has no %s (%s)".formatted(node.name(), device.name(), device.uuid()));
  }
}
