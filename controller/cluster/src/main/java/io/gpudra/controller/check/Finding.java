package io.gpudra.controller.check;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;

/**
 * An inconsistency of claims, inventories and ledger.
 *
 * @param node empty if the finding does not concern a node
 * @param devices UUIDs
 * @param message a sentence for people
 */
public record Finding(
    Kind kind,
    String node,
    ImmutableSortedMap<ClaimUid, ClaimRef> claims,
    ImmutableSortedSet<String> devices,
    String message) {

  /** Kind of the finding; has the name of its event, if there is one. */
  public enum Kind {
    DOUBLE_GRANT(
        "DeviceGrantedTwice",
        "Delete the pods of all but one of the claims; until then the node's plugin only"
            + " prepares the first one."),
    UNREADABLE_HANDLE(
        "UnreadableHandle",
        "Run the controller version that wrote the handle, or delete the pods that use the claim"
            + " and then the claim."),
    STRAY_HANDLE(
        "StrayHandle",
        "Delete the pods that use the claim and then the claim; the node's plugin refuses it."),
    DEVICE_LOST(
        "DeviceLost",
        "Check on the node why the device is missing. If it will not come back, delete the pods"
            + " that use the claim and then the claim."),
    DEVICE_UNHEALTHY(
        "DeviceUnhealthy",
        "Delete the pods that use the claim; the device gets no new claims until it is healthy,"
            + " which takes a reset or a reboot after an error."),
    SHARING_WAITS(
        "SharingWaits",
        "Run all pods that share the device by MPS as the same user (securityContext.runAsUser), or"
            + " share it by TimeSlicing."),
    NODE_GONE(
        "NodeGone",
        "If the node will not come back, delete the pods that use the claim and then the claim;"
            + " otherwise start the kubelet plugin on it."),
    ORPHANED(
        "ClaimOrphaned",
        "Normal while containers stop. If the kubelet lost the claim in a reboot, the plugin"
            + " releases it minutes after the last pod that may use it is gone. If it lasts, make"
            + " sure that no container on the node uses the devices, then reboot the node: the"
            + " plugin releases claims of earlier boots."),
    DRAINING(
        "DeviceDraining",
        "Normal while containers stop. If it lasts, check on the node which pod does not end, and"
            + " the kubelet's log."),
    NODE_STALE(
        "NodeStale",
        "Check that the kubelet plugin runs on the node and reaches the API server, and that the"
            + " node's clock is right."),
    NODE_NOT_JUDGED(
        "NodeNotJudged",
        "Please report a bug of the driver, with the node's inventory; the node gets no new"
            + " allocations."),
    INVENTORY_IMPLAUSIBLE(
        "InventoryImplausible",
        "Check on the node what its driver reports and whether the plugin's token was stolen; the"
            + " node gets no new allocations until its inventory is plausible."),
    CLAIM_OVERDUE(
        "ClaimOverdue",
        "Ask its owner; it keeps its devices until its pods and the claim are deleted."),
    FINALIZER_LEFT(
        "FinalizerLeft",
        "Normal for a moment during allocation. If it lasts, check that a controller leads; the"
            + " next leader removes it."),
    FINALIZER_MISSING(
        "FinalizerMissing",
        "The finalizer was removed. The devices stay allocated while the claim exists; make sure"
            + " that its pods have ended before you delete it."),
    PARAMETERS_NOT_FOUND(UnsuitableReason.Kind.PARAMETERS_NOT_FOUND),
    NAMESPACE_NOT_ALLOWED(UnsuitableReason.Kind.NAMESPACE_NOT_ALLOWED),
    CLASS_LIMIT(UnsuitableReason.Kind.CLASS_LIMIT),
    ATTRIBUTE_FORBIDDEN(UnsuitableReason.Kind.ATTRIBUTE_FORBIDDEN),
    INVALID_PARAMETERS(UnsuitableReason.Kind.INVALID_PARAMETERS),
    MALFORMED_OBJECT(
        "MalformedObject", "Correct the object; as it is, the driver skips all or part of it.");

    private final String label;
    private final String remedy;

    Kind(String label, String remedy) {
      this.label = label;
      this.remedy = remedy;
    }

    /** A claim that waits for this reason; its event and its remedy are those of the reason. */
    Kind(UnsuitableReason.Kind reason) {
      this(reason.event().orElseThrow(), sentence(reason.remedy()));
    }

    private static String sentence(String text) {
      return Ascii.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
    }

    /** The finding of a claim whose parameters are refused for this reason. */
    static Kind of(UnsuitableReason.Kind reason) {
      return valueOf(reason.name());
    }

    /** CamelCase; stable. */
    public String label() {
      return label;
    }

    /** The remedy. */
    public String remedy() {
      return remedy;
    }
  }

  /** The identity over time: all fields except the sentence, which may contain a time. */
  public record Identity(
      Kind kind,
      String node,
      ImmutableSortedMap<ClaimUid, ClaimRef> claims,
      ImmutableSortedSet<String> devices) {}

  /**
   * The findings that are in both lists.
   *
   * @param now is the version that is returned
   */
  public static ImmutableList<Finding> lasting(
      Collection<Finding> before, Collection<Finding> now) {
    ImmutableSet<Identity> known =
        before.stream().map(Finding::identity).collect(ImmutableSet.toImmutableSet());
    return now.stream()
        .filter(finding -> known.contains(finding.identity()))
        .collect(ImmutableList.toImmutableList());
  }

  /** The part that does not change over time. */
  public Identity identity() {
    return new Identity(kind, node, claims, devices);
  }
}
