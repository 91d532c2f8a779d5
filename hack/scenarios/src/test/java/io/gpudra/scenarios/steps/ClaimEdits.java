package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.PodRef;
import io.gpudra.simulator.api.Json;
import java.util.Optional;

/** What the controller of a driver changes in the object of a claim. */
record ClaimEdits(String driver) {

  void addFinalizer(ObjectNode claim) {
    Json.meta(claim).withArrayProperty("finalizers").add(finalizer());
  }

  void removeFinalizer(ObjectNode claim) {
    ArrayNode finalizers = Json.meta(claim).withArrayProperty("finalizers");
    for (int i = finalizers.size() - 1; i >= 0; i--) {
      if (finalizers.get(i).asText().equals(finalizer())) {
        finalizers.remove(i);
      }
    }
  }

  String finalizer() {
    return driver + "/deletion-protection";
  }

  void allocate(ObjectNode claim, ResourceHandle handle, Optional<PodRef> pod) {
    ObjectNode status = status(claim).put("driverName", driver);
    ObjectNode allocation = status.putObject("allocation").put("shareable", handle.shareable());
    allocation
        .putArray("resourceHandles")
        .addObject()
        .put("driverName", driver)
        .put("data", handle.data());
    handle.node().ifPresent(node -> onlyOn(node, allocation));
    pod.ifPresent(
        consumer ->
            status
                .withArrayProperty("reservedFor")
                .add(
                    Json.object(
                        "resource", "pods", "name", consumer.name(), "uid", consumer.uid())));
  }

  private static void onlyOn(String node, ObjectNode allocation) {
    allocation
        .putObject("availableOnNodes")
        .putArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .putArray("values")
        .add(node);
  }

  void deallocate(ObjectNode claim, boolean keepDriverName) {
    status(claim).remove(ImmutableList.of("allocation", "deallocationRequested"));
    if (!keepDriverName) {
      status(claim).remove("driverName");
    }
  }

  void requestDeallocation(ObjectNode claim) {
    status(claim).put("deallocationRequested", true).remove("reservedFor");
  }

  private static ObjectNode status(ObjectNode claim) {
    return claim.withObjectProperty("status");
  }
}
