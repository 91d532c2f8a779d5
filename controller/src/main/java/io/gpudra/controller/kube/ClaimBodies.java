package io.gpudra.controller.kube;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.dra.Handle;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import java.util.Optional;

/**
 * Bodies of the four PUTs on a claim. Each is the kept object with one thing changed, so UID and
 * resourceVersion always travel along: the server would take a PUT without them and overwrite
 * blindly (protocol.md 1.3).
 */
final class ClaimBodies {
  private final KubeSettings settings;

  ClaimBodies(KubeSettings settings) {
    this.settings = settings;
  }

  String guarded(V1alpha2ResourceClaim original) {
    JsonObject claim = copy(original);
    JsonArray finalizers = finalizersWithoutOurs(claim);
    finalizers.add(settings.finalizer());
    claim.getAsJsonObject("metadata").add("finalizers", finalizers);
    return claim.toString();
  }

  String unguarded(V1alpha2ResourceClaim original) {
    JsonObject claim = copy(original);
    claim.getAsJsonObject("metadata").add("finalizers", finalizersWithoutOurs(claim));
    return claim.toString();
  }

  String allocated(V1alpha2ResourceClaim original, Handle handle, Optional<PodRef> reserveFor) {
    JsonObject claim = copy(original);
    JsonObject status = child(claim, "status");
    status.addProperty("driverName", settings.driverName());
    status.add("allocation", allocation(handle));
    reserveFor.ifPresent(pod -> reserve(status, pod));
    return claim.toString();
  }

  String cleared(V1alpha2ResourceClaim original) {
    JsonObject claim = copy(original);
    JsonObject status = child(claim, "status");
    status.remove("allocation");
    status.remove("driverName");
    status.remove("deallocationRequested");
    return claim.toString();
  }

  private JsonObject allocation(Handle handle) {
    JsonObject ours = new JsonObject();
    ours.addProperty("driverName", settings.driverName());
    ours.addProperty("data", handle.data());
    JsonObject allocation = new JsonObject();
    allocation.add("resourceHandles", listOf(ours));
    handle.node().ifPresent(node -> allocation.add("availableOnNodes", only(node)));
    allocation.addProperty("shareable", handle.shareable());
    return allocation;
  }

  private static JsonObject only(String node) {
    JsonArray values = new JsonArray();
    values.add(node);
    JsonObject name = new JsonObject();
    name.addProperty("key", "metadata.name");
    name.addProperty("operator", "In");
    name.add("values", values);
    JsonObject term = new JsonObject();
    term.add("matchFields", listOf(name));
    JsonObject selector = new JsonObject();
    selector.add("nodeSelectorTerms", listOf(term));
    return selector;
  }

  private static void reserve(JsonObject status, PodRef pod) {
    JsonArray reservedFor =
        status.has("reservedFor") ? status.getAsJsonArray("reservedFor") : new JsonArray();
    for (JsonElement entry : reservedFor) {
      if (entry.getAsJsonObject().get("uid").getAsString().equals(pod.uid())) {
        return;
      }
    }
    // Without apiGroup: the claim controller stops at a claim with any other consumer than this.
    JsonObject consumer = new JsonObject();
    consumer.addProperty("resource", "pods");
    consumer.addProperty("name", pod.name());
    consumer.addProperty("uid", pod.uid());
    reservedFor.add(consumer);
    status.add("reservedFor", reservedFor);
  }

  private JsonArray finalizersWithoutOurs(JsonObject claim) {
    JsonArray kept = new JsonArray();
    JsonElement finalizers = claim.getAsJsonObject("metadata").get("finalizers");
    if (finalizers != null && finalizers.isJsonArray()) {
      finalizers
          .getAsJsonArray()
          .forEach(
              finalizer -> {
                if (!finalizer.getAsString().equals(settings.finalizer())) {
                  kept.add(finalizer);
                }
              });
    }
    return kept;
  }

  /** Kind and version are spelled out because objects of a list lack them. */
  private static JsonObject copy(V1alpha2ResourceClaim original) {
    JsonObject claim = LenientJson.gson().toJsonTree(original).getAsJsonObject();
    claim.addProperty("apiVersion", Kinds.RESOURCE_API);
    claim.addProperty("kind", "ResourceClaim");
    return claim;
  }

  private static JsonObject child(JsonObject parent, String name) {
    if (!parent.has(name)) {
      parent.add(name, new JsonObject());
    }
    return parent.getAsJsonObject(name);
  }

  private static JsonArray listOf(JsonObject only) {
    JsonArray list = new JsonArray();
    list.add(only);
    return list;
  }
}
