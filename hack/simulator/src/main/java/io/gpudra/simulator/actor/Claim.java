package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A ResourceClaim, as the actors read it and change the status of their own copies. */
public record Claim(ObjectNode json) {
  public String namespace() {
    return Meta.namespace(json);
  }

  public String name() {
    return Meta.name(json);
  }

  public String uid() {
    return Meta.uid(json);
  }

  public boolean deleting() {
    return Meta.deleting(json);
  }

  public boolean delayed() {
    return !json.path("spec").path("allocationMode").asText().equals("Immediate");
  }

  public String className() {
    return json.path("spec").path("resourceClassName").asText();
  }

  public JsonNode status() {
    return json.path("status");
  }

  public JsonNode allocation() {
    return status().path("allocation");
  }

  public boolean allocated() {
    return status().hasNonNull("allocation");
  }

  public JsonNode reservedFor() {
    return status().path("reservedFor");
  }

  public boolean reservedFor(String podUid) {
    for (JsonNode consumer : reservedFor()) {
      if (consumer.path("uid").asText().equals(podUid)) {
        return true;
      }
    }
    return false;
  }

  /** May be reserved for one more consumer. */
  public boolean canBeReserved() {
    return allocation().path("shareable").asBoolean() || reservedFor().isEmpty();
  }

  public boolean deallocationRequested() {
    return status().path("deallocationRequested").asBoolean();
  }

  /** Adds the pod to the consumers of this copy. */
  public void reserve(Pod pod) {
    ObjectNode consumer = json.withObject("/status").withArrayProperty("reservedFor").addObject();
    consumer.put("resource", "pods").put("name", pod.name()).put("uid", pod.uid());
  }

  /** Replaces the consumers of this copy. */
  public void reservedFor(ArrayNode consumers) {
    if (consumers.isEmpty()) {
      json.withObject("/status").remove("reservedFor");
    } else {
      json.withObject("/status").set("reservedFor", consumers);
    }
  }

  /** Removes the pod from the consumers of this copy. */
  public void unreserve(String podUid) {
    ArrayNode others = json.arrayNode();
    for (JsonNode consumer : reservedFor()) {
      if (!consumer.path("uid").asText().equals(podUid)) {
        others.add(consumer);
      }
    }
    reservedFor(others);
  }

  public void requestDeallocation() {
    json.withObject("/status").put("deallocationRequested", true);
  }
}
