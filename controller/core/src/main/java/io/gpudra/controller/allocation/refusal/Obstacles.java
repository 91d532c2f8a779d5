package io.gpudra.controller.allocation.refusal;

import static io.gpudra.controller.allocation.refusal.Refusal.stated;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.Optional;

/** What keeps a claim from a node whatever devices are free there. */
public final class Obstacles {

  /** The first format of the handle that can say what part of a GPU is granted. */
  private static final int PARTS_FORMAT = 2;

  private Obstacles() {}

  /** What keeps every claim from new devices of this node. */
  public static Optional<Refusal> ofNode(NodeLedger ledger) {
    return service(ledger).or(() -> unreadable(ledger));
  }

  private static Optional<Refusal> service(NodeLedger ledger) {
    Service service = ledger.inventory().service();
    if (service instanceof Service.Stale stale) {
      return Optional.of(
          stated(Cause.INVENTORY_STALE, "plugin silent since %s", stale.lastHeard()));
    }
    if (service instanceof Service.NotReady notReady) {
      return Optional.of(
          stated(Cause.PLUGIN_NOT_READY, "plugin not ready: %s", notReady.conditionReason()));
    }
    if (service instanceof Service.Implausible implausible) {
      return Optional.of(
          stated(
              Cause.INVENTORY_IMPLAUSIBLE,
              "no node has what it reports: %s",
              implausible.problem()));
    }
    return service instanceof Service.Absent
        ? Optional.of(stated(Cause.INVENTORY_ABSENT, "no plugin has published GPUs of this node"))
        : Optional.empty();
  }

  private static Optional<Refusal> unreadable(NodeLedger ledger) {
    if (ledger.unreadable().isEmpty()) {
      return Optional.empty();
    }
    return ledger.unreadable().values().stream()
        .findFirst()
        .map(
            claim ->
                stated(
                    Cause.UNREADABLE_HANDLE,
                    "%s has unknown GPUs of this node: %s",
                    claim.ref(),
                    claim.problem()));
  }

  /** What keeps this claim from the node. */
  public static Optional<Refusal> ofClaim(NodeLedger ledger, ClaimRequest claim) {
    Optional<Refusal> name = ofName(ledger, claim);
    return name.isEmpty() && ledger.inventory().handleFormat() < PARTS_FORMAT
        ? ofFormat(claim)
        : name;
  }

  private static Optional<Refusal> ofFormat(ClaimRequest claim) {
    return claim.wantsMoreThanWholeGpus()
        ? Optional.of(
            stated(
                Cause.OLD_PLUGIN,
                "the plugin of the node knows whole GPUs without settings only; a newer version is needed"))
        : Optional.empty();
  }

  /**
   * What keeps this claim from the node because a kubelet knows claims by name only: it starts a
   * pod on the old device, without a call to the plugin, while a claim of that name is prepared.
   * That goes for the claim itself too: released and allocated again before its old pod's
   * containers stopped, it would share their device.
   */
  private static Optional<Refusal> ofName(NodeLedger ledger, ClaimRequest claim) {
    return mayKnow(ledger, claim)
        ? stillPrepared(ledger, claim.ref().kubeletKey())
            .or(() -> nameHeld(ledger, claim))
            .or(() -> maybePrepared(ledger, claim))
        : Optional.empty();
  }

  /** Whether the node's kubelet may know the claim, or another one by its name. */
  public static boolean mayKnow(NodeLedger ledger, ClaimRequest claim) {
    return ledger.knows(claim.ref().kubeletKey()) || (claim.lingering() && !ledger.hasSpoken());
  }

  private static Optional<Refusal> stillPrepared(NodeLedger ledger, String key) {
    for (PreparedClaim prepared : ledger.inventory().prepared()) {
      if (prepared.ref().kubeletKey().equals(key)) {
        return Optional.of(
            stated(
                Cause.STILL_PREPARED,
                "still prepared on %s (kubelet knows claims by name)",
                ledger.node()));
      }
    }
    return Optional.empty();
  }

  private static Optional<Refusal> nameHeld(NodeLedger ledger, ClaimRequest claim) {
    String key = claim.ref().kubeletKey();
    for (var other : ledger.holds().entrySet()) {
      if (!other.getKey().equals(claim.uid()) && other.getValue().ref().kubeletKey().equals(key)) {
        return Optional.of(new Refusal.NameHeld(other.getValue().ref(), ledger.node()));
      }
    }
    return Optional.empty();
  }

  private static Optional<Refusal> maybePrepared(NodeLedger ledger, ClaimRequest claim) {
    String key = claim.ref().kubeletKey();
    return (claim.lingering() && !ledger.hasSpoken())
            || ledger.unseen().values().stream().anyMatch(ref -> ref.kubeletKey().equals(key))
        ? Optional.of(
            stated(
                Cause.STILL_PREPARED,
                "maybe still prepared on %s, which has not said yet (kubelet knows claims by name)",
                ledger.node()))
        : Optional.empty();
  }

  /** What keeps an Immediate claim from the node, beside what keeps any claim from it. */
  public static Optional<Refusal> ofChoice(NodeState node, ClaimRequest claim) {
    if (!node.ready()) {
      return Optional.of(stated(Cause.NODE_NOT_READY, "node not ready"));
    }
    if (node.cordoned()) {
      return Optional.of(stated(Cause.NODE_CORDONED, "node cordoned"));
    }
    if (!node.repellingTaints().isEmpty()) {
      return Optional.of(stated(Cause.NODE_TAINTED, "node tainted %s", node.repellingTaints()));
    }
    return claim.admittedNodes().filter(admitted -> !admitted.matches(node)).isPresent()
        ? Optional.of(
            stated(Cause.NODE_NOT_ADMITTED, "not among the suitableNodes of the claim's class"))
        : Optional.empty();
  }
}
