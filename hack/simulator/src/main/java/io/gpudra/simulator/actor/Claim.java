package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import io.gpudra.simulator.api.Json;

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
    return !Json.text(json, "spec.allocationMode").equals("Immediate");
  }

  public String className() {
    return Json.text(json, "spec.resourceClassName");
  }

  public JsonNode allocation() {
    return Json.at(json, "status.allocation");
  }

  public boolean allocated() {
    return allocation().isObject();
  }

  public JsonNode reservedFor() {
    return Json.at(json, "status.reservedFor");
  }

  public boolean reservedFor(String podUid) {
    return !Json.find(reservedFor(), "uid", podUid).isMissingNode();
  }

  /** May be reserved for one more consumer. */
  public boolean canBeReserved() {
    return allocation().path("shareable").asBoolean() || reservedFor().isEmpty();
  }

  public boolean deallocationRequested() {
    return Json.at(json, "status.deallocationRequested").asBoolean();
  }

  /** A copy to change. */
  public Claim copy() {
    return new Claim(json.deepCopy());
  }

  public void reserve(Pod pod) {
    consumers().add(Json.object("resource", "pods", "name", pod.name(), "uid", pod.uid()));
  }

  public void unreserve(String podUid) {
    Iterables.removeIf(consumers(), one -> one.path("uid").asText().equals(podUid));
  }

  public void requestDeallocation() {
    json.withObjectProperty("status").put("deallocationRequested", true);
  }

  private ArrayNode consumers() {
    return json.withObjectProperty("status").withArrayProperty("reservedFor");
  }
}
