package io.gpudra.controller.allocation.refusal;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.Optional;

/** The reasons that keep a claim from a node regardless of free devices. */
public final class NodeFilters {

  /** The first format of the handle that can name a part of a GPU. */
  private static final int PARTS_FORMAT = 2;

  private NodeFilters() {}

  /** The reason that refuses every claim for new devices of this node. */
  public static Optional<UnsuitableReason> ofNode(NodeLedger ledger) {
    return service(ledger).or(() -> unreadable(ledger)).or(() -> overcrowded(ledger));
  }

  private static Optional<UnsuitableReason> service(NodeLedger ledger) {
    Service service = ledger.inventory().service();
    if (service instanceof Service.Stale stale) {
      return Optional.of(
          StatedReason.of(Kind.INVENTORY_STALE, "plugin silent since %s", stale.lastHeard()));
    }
    if (service instanceof Service.NotReady notReady) {
      return Optional.of(
          StatedReason.of(
              Kind.PLUGIN_NOT_READY, "plugin not ready: %s", notReady.conditionReason()));
    }
    if (service instanceof Service.Implausible implausible) {
      return Optional.of(
          StatedReason.of(
              Kind.INVENTORY_IMPLAUSIBLE,
              "no node has what it reports: %s",
              implausible.problem()));
    }
    return service instanceof Service.Absent
        ? Optional.of(
            StatedReason.of(Kind.INVENTORY_ABSENT, "no plugin has published GPUs of this node"))
        : Optional.empty();
  }

  private static Optional<UnsuitableReason> unreadable(NodeLedger ledger) {
    if (ledger.unreadable().isEmpty()) {
      return Optional.empty();
    }
    return ledger.unreadable().values().stream()
        .findFirst()
        .map(
            claim ->
                StatedReason.of(
                    Kind.UNREADABLE_HANDLE,
                    "%s has unknown GPUs of this node: %s",
                    claim.ref(),
                    claim.problem()));
  }

  private static Optional<UnsuitableReason> overcrowded(NodeLedger ledger) {
    return ledger.isOvercrowded()
        ? Optional.of(
            StatedReason.of(
                Kind.INVENTORY_IMPLAUSIBLE,
                "no node has what it reports: %d claims hold its GPUs, under these or other names;"
                    + " at most %d may",
                ledger.holdsWithDevices(),
                NodeLedger.MAX_HOLDS))
        : Optional.empty();
  }

  /** The reason that refuses this claim on the node. */
  public static Optional<UnsuitableReason> ofClaim(NodeLedger ledger, ClaimRequest claim) {
    Optional<UnsuitableReason> name = ofName(ledger, claim);
    return name.isEmpty() && ledger.inventory().handleFormat() < PARTS_FORMAT
        ? ofFormat(claim)
        : name;
  }

  /** The reason that refuses this number of further claims that monitor. */
  public static Optional<UnsuitableReason> ofMonitors(NodeLedger ledger, int more) {
    return ledger.monitors() + more > NodeLedger.MAX_MONITORS
        ? Optional.of(
            StatedReason.of(
                Kind.TOO_MANY_MONITORS,
                "%d claims monitor its GPUs, and %d more would; at most %d may",
                ledger.monitors(),
                more,
                NodeLedger.MAX_MONITORS))
        : Optional.empty();
  }

  private static Optional<UnsuitableReason> ofFormat(ClaimRequest claim) {
    return claim.wantsMoreThanWholeGpus()
        ? Optional.of(
            StatedReason.of(
                Kind.OLD_PLUGIN,
                "the node's plugin supports only whole GPUs without settings; a newer version is"
                    + " needed"))
        : Optional.empty();
  }

  /**
   * The kubelet knows claims by name only. While a claim of that name is prepared, the kubelet
   * starts a pod on the old device without a call to the plugin. This holds for the claim itself,
   * too: if it is deallocated and allocated again before its old pod's containers stopped, it would
   * share their device.
   */
  private static Optional<UnsuitableReason> ofName(NodeLedger ledger, ClaimRequest claim) {
    return mayKnow(ledger, claim)
        ? stillPrepared(ledger, claim.ref().kubeletKey())
            .or(() -> nameHeld(ledger, claim))
            .or(() -> maybePrepared(ledger, claim))
        : Optional.empty();
  }

  /** Whether the node's kubelet may know the claim, or another one by its name. */
  public static boolean mayKnow(NodeLedger ledger, ClaimRequest claim) {
    return ledger.knows(claim.ref().kubeletKey())
        || (claim.mayStillBePrepared() && !ledger.hasSpoken());
  }

  private static Optional<UnsuitableReason> stillPrepared(NodeLedger ledger, String key) {
    for (PreparedClaim prepared : ledger.inventory().prepared()) {
      if (prepared.ref().kubeletKey().equals(key)) {
        return Optional.of(
            StatedReason.of(
                Kind.STILL_PREPARED,
                "still prepared on %s (kubelet knows claims by name)",
                ledger.node()));
      }
    }
    return Optional.empty();
  }

  private static Optional<UnsuitableReason> nameHeld(NodeLedger ledger, ClaimRequest claim) {
    String key = claim.ref().kubeletKey();
    for (var other : ledger.holds().entrySet()) {
      if (!other.getKey().equals(claim.uid()) && other.getValue().ref().kubeletKey().equals(key)) {
        return Optional.of(new NodeRefusal.NameHeld(other.getValue().ref(), ledger.node()));
      }
    }
    return Optional.empty();
  }

  private static Optional<UnsuitableReason> maybePrepared(NodeLedger ledger, ClaimRequest claim) {
    String key = claim.ref().kubeletKey();
    return (claim.mayStillBePrepared() && !ledger.hasSpoken())
            || ledger.unseen().values().stream().anyMatch(ref -> ref.kubeletKey().equals(key))
        ? Optional.of(
            StatedReason.of(
                Kind.STILL_PREPARED,
                "may still be prepared on %s; waiting for its inventory (kubelet knows claims by"
                    + " name)",
                ledger.node()))
        : Optional.empty();
  }

  /** The further reason that refuses a claim for which we choose the node. */
  public static Optional<UnsuitableReason> ofChoice(NodeState node, ClaimRequest claim) {
    if (!node.ready()) {
      return Optional.of(StatedReason.of(Kind.NODE_NOT_READY, "node not ready"));
    }
    if (node.cordoned()) {
      return Optional.of(StatedReason.of(Kind.NODE_CORDONED, "node cordoned"));
    }
    if (node.crowded()) {
      return Optional.of(NodeRefusal.notEvaluated("it has too many labels and taints"));
    }
    return claim
        .demand()
        .map(demand -> misfit(node, demand))
        .orElseGet(() -> tainted(node))
        .or(() -> notAdmitted(node, claim));
  }

  private static Optional<UnsuitableReason> misfit(NodeState node, NodeDemand demand) {
    return demand
        .misfit(node)
        .flatMap(
            misfit ->
                switch (misfit) {
                  case NOT_SELECTED -> Optional.of(StatedReason.of(Kind.NODE_NOT_SELECTED));
                  case TAINTED -> tainted(node);
                  case TOO_SMALL -> Optional.of(StatedReason.of(Kind.NODE_TOO_SMALL));
                });
  }

  private static Optional<UnsuitableReason> tainted(NodeState node) {
    return node.taints().isEmpty()
        ? Optional.empty()
        : Optional.of(
            StatedReason.of(Kind.NODE_TAINTED, "node tainted %s", node.repellingTaints()));
  }

  private static Optional<UnsuitableReason> notAdmitted(NodeState node, ClaimRequest claim) {
    return claim.admittedNodes().filter(admitted -> !admitted.matches(node)).isPresent()
        ? Optional.of(
            StatedReason.of(
                Kind.NODE_NOT_ADMITTED, "not among the suitableNodes of the claim's class"))
        : Optional.empty();
  }
}
