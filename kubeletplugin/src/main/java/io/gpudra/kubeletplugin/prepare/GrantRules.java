package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.prepare.Refusal.Kind;
import java.util.Optional;

/** Whether a grant is for this claim on this node. */
final class GrantRules {

  private GrantRules() {}

  static Optional<Refusal> problem(PrepareRequest request, LocalNode node) {
    Grant grant = request.grant();
    if (!CdiNames.canName(request.uid())) {
      return invalid("claim UID \"" + request.uid() + "\" is malformed");
    }
    if (!grant.claim().equals(request.uid())) {
      // The kubelet keeps handles by name, so it can send one of an earlier claim of that name.
      return invalid(
          "the handle was made for claim UID %s, not for %s"
              .formatted(grant.claim(), request.uid()));
    }
    if (!grant.node().equals(node.name())) {
      return invalid("the grant is for node %s, this is %s".formatted(grant.node(), node.name()));
    }
    if (grant.devices().isEmpty()) {
      return invalid("the grant names no device");
    }
    if (grant.devices().stream().map(GrantedDevice::uuid).distinct().count()
        < grant.devices().size()) {
      return invalid("the grant names a device twice");
    }
    return grant.devices().stream()
        .filter(device -> node.devices().find(device.uuid()).isEmpty())
        .findFirst()
        .map(device -> missing(device, node));
  }

  private static Optional<Refusal> invalid(String text) {
    return Optional.of(new Refusal(Kind.INVALID, text));
  }

  private static Refusal missing(GrantedDevice device, LocalNode node) {
    return new Refusal(
        Kind.NO_DEVICE,
        "node %s has no %s (%s)".formatted(node.name(), device.name(), device.uuid()));
  }
}
