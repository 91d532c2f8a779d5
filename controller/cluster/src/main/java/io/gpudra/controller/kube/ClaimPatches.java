package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.custom.V1Patch;
import java.util.Optional;

/**
 * Bodies of the five strategic merge patches of a claim. All contain UID and resourceVersion:
 * without these, the API server would apply the patch to any version of any claim (protocol.md
 * 1.3).
 */
record ClaimPatches(KubeSettings settings) {
  /** The format that can add or remove one finalizer without listing the others. */
  static final String FORMAT = V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH;

  private static final JsonMapper JSON = new JsonMapper();

  V1Patch addFinalizer(CachedClaim claim) {
    ObjectNode patch = of(claim);
    patch.withObject("/metadata").putArray("finalizers").add(settings.finalizer());
    return new V1Patch(patch.toString());
  }

  V1Patch removeFinalizer(CachedClaim claim) {
    ObjectNode patch = of(claim);
    patch
        .withObject("/metadata")
        .putArray("$deleteFromPrimitiveList/finalizers")
        .add(settings.finalizer());
    return new V1Patch(patch.toString());
  }

  V1Patch allocate(CachedClaim claim, ResourceHandle handle, Optional<PodRef> reserveFor) {
    ObjectNode patch = of(claim);
    ObjectNode status = patch.putObject("status");
    status.put("driverName", settings.driverName());
    status.set("allocation", allocation(handle));
    reserveFor.ifPresent(pod -> reserve(status, claim, pod));
    return new V1Patch(patch.toString());
  }

  /** If {@code keepDriverName}, the driver name stays in the status. */
  V1Patch deallocate(CachedClaim claim, boolean keepDriverName) {
    ObjectNode patch = of(claim);
    ObjectNode status = patch.putObject("status");
    status.putNull("allocation").putNull("deallocationRequested");
    if (!keepDriverName) {
      status.putNull("driverName");
    }
    return new V1Patch(patch.toString());
  }

  /** The API server accepts the request only without consumers (protocol.md 1.3). */
  V1Patch requestDeallocation(CachedClaim claim) {
    ObjectNode patch = of(claim);
    patch.putObject("status").putNull("reservedFor").put("deallocationRequested", true);
    return new V1Patch(patch.toString());
  }

  private static ObjectNode of(CachedClaim claim) {
    ObjectNode patch = JSON.createObjectNode();
    patch
        .putObject("metadata")
        .put("uid", claim.facts().uid().value())
        .put("resourceVersion", claim.facts().resourceVersion());
    return patch;
  }

  private ObjectNode allocation(ResourceHandle handle) {
    ObjectNode allocation = JSON.createObjectNode();
    allocation
        .putArray("resourceHandles")
        .addObject()
        .put("driverName", settings.driverName())
        .put("data", handle.data());
    handle.node().ifPresent(node -> only(node, allocation.putObject("availableOnNodes")));
    return allocation.put("shareable", handle.shareable());
  }

  private static void only(String node, ObjectNode selector) {
    selector
        .putArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .putArray("values")
        .add(node);
  }

  /** Includes the current consumers, since servers before 1.30 replace the list. */
  private static void reserve(ObjectNode status, CachedClaim claim, PodRef pod) {
    if (claim.facts().reservedFor().contains(pod.uid())) {
      return;
    }
    ArrayNode reservedFor = status.putArray("reservedFor");
    for (CachedClaim.Consumer consumer : claim.consumers()) {
      ObjectNode entry = reservedFor.addObject();
      if (!consumer.apiGroup().isEmpty()) {
        entry.put("apiGroup", consumer.apiGroup());
      }
      entry.put("resource", consumer.resource());
      entry.put("name", consumer.name()).put("uid", consumer.uid());
    }
    // Without apiGroup: the claim controller only accepts consumers of this form.
    reservedFor.addObject().put("resource", "pods").put("name", pod.name()).put("uid", pod.uid());
  }
}
