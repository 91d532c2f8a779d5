package io.gpudra.controller.check;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;

/**
 * Something that claims, inventories and ledger should not say together.
 *
 * @param node empty when it is about no node
 * @param devices UUIDs
 * @param what a sentence for people
 */
public record Finding(
    Kind kind,
    String node,
    ImmutableSortedMap<ClaimUid, ClaimRef> claims,
    ImmutableSortedSet<String> devices,
    String what) {

  /** What is wrong; named as its event, where there is one. */
  public enum Kind {
    DOUBLE_GRANT(
        "DeviceGrantedTwice",
        "Delete the pods of all but one of the claims; until then the node's plugin serves the"
            + " first and lets the others wait."),
    UNREADABLE_HANDLE(
        "UnreadableHandle",
        "Run the controller version that wrote the handle, or delete the pods that use the claim"
            + " and then the claim."),
    STRAY_HANDLE(
        "StrayHandle",
        "Delete the pods that use the claim and then the claim; the node's plugin refuses it."),
    DEVICE_LOST(
        "DeviceLost",
        "See on the node why the device is missing. If it will not come back, delete the pods"
            + " that use the claim and then the claim."),
    DEVICE_UNHEALTHY(
        "DeviceUnhealthy",
        "Delete the pods that use the claim; the device gets no new claims until it is well, which"
            + " takes a reset or a reboot after an error."),
    SHARING_WAITS(
        "SharingWaits",
        "Run all pods that share the device by MPS as the same user (securityContext.runAsUser), or"
            + " share it by TimeSlicing."),
    NODE_GONE(
        "NodeGone",
        "If the node will not come back, delete the pods that use the claim and then the claim;"
            + " else start the kubelet plugin on it."),
    ORPHANED(
        "ClaimOrphaned",
        "Usual while containers stop. What the kubelet has lost after a boot the node takes back by"
            + " itself, minutes after the last pod that may use it is gone. If it lasts, make sure"
            + " that no container on the node uses the devices, then reboot it: the plugin undoes"
            + " what an earlier boot prepared."),
    DRAINING(
        "DeviceDraining",
        "Usual while containers stop. If it lasts, see on the node which pod does not end, and"
            + " the kubelet's log."),
    NODE_STALE(
        "NodeStale",
        "See whether the kubelet plugin runs on the node and reaches the API server, and whether"
            + " the node's clock is right."),
    NODE_NOT_JUDGED(
        "NodeNotJudged",
        "Please report it as a fault of the driver, with the node's inventory; the node gets no new"
            + " grants."),
    INVENTORY_IMPLAUSIBLE(
        "InventoryImplausible",
        "See on the node what its driver reports and whether the plugin's token was taken; the node"
            + " gets no new grants until its inventory is one that a node can have."),
    CLAIM_OVERDUE(
        "ClaimOverdue",
        "Ask who uses the claim; it keeps its devices until its pods are deleted and then it."),
    FINALIZER_LEFT(
        "FinalizerLeft",
        "Usual for a moment while the claim is being allocated. If it lasts, see whether a"
            + " controller leads; the next leader removes it."),
    FINALIZER_MISSING(
        "FinalizerMissing",
        "Somebody removed the finalizer. The devices stay held while the claim exists; make sure"
            + " that its pods have ended before it is deleted."),
    PARAMETERS_NOT_FOUND("ParametersNotFound", "Create the object, or correct the reference."),
    NAMESPACE_NOT_ALLOWED(
        "NamespaceNotAllowed",
        "Use another class, or have the namespace labelled as the class's parameters demand."),
    CLASS_LIMIT("ClassLimit", "Ask for less, or use a class that gives it."),
    ATTRIBUTE_FORBIDDEN(
        "AttributeForbidden", "Ask without what is named, or use a class that allows it."),
    INVALID_PARAMETERS("InvalidParameters", "Correct what is named."),
    MALFORMED_OBJECT(
        "MalformedObject", "Correct the object; as it is, the driver skips all or part of it.");

    private final String label;
    private final String remedy;

    Kind(String label, String remedy) {
      this.label = label;
      this.remedy = remedy;
    }

    /** CamelCase; stable. */
    public String label() {
      return label;
    }

    /** What a person does about it. */
    public String remedy() {
      return remedy;
    }
  }

  /** What makes it the same one at another time: all but the sentence, which may hold a time. */
  public record Identity(
      Kind kind,
      String node,
      ImmutableSortedMap<ClaimUid, ClaimRef> claims,
      ImmutableSortedSet<String> devices) {}

  /**
   * Those that are in both.
   *
   * @param now as they are told
   */
  public static ImmutableList<Finding> lasting(
      Collection<Finding> before, Collection<Finding> now) {
    ImmutableSet<Identity> known =
        before.stream().map(Finding::identity).collect(ImmutableSet.toImmutableSet());
    return now.stream()
        .filter(finding -> known.contains(finding.identity()))
        .collect(ImmutableList.toImmutableList());
  }

  /** What stays while it lasts. */
  public Identity identity() {
    return new Identity(kind, node, claims, devices);
  }
}
