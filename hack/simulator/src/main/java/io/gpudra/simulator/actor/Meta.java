package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;

/** Reads of {@code metadata}. */
public final class Meta {
  private Meta() {}

  public static String namespace(JsonNode object) {
    return Json.text(object, "metadata.namespace");
  }

  public static String name(JsonNode object) {
    return Json.text(object, "metadata.name");
  }

  public static String uid(JsonNode object) {
    return Json.text(object, "metadata.uid");
  }

  public static boolean deleting(JsonNode object) {
    return !Json.at(object, "metadata.deletionTimestamp").isMissingNode();
  }

  /** {@code namespace/name}. */
  public static String key(JsonNode object) {
    return namespace(object) + "/" + name(object);
  }

  /** The owner reference with {@code controller: true}; a missing node when there is none. */
  public static JsonNode controller(JsonNode object) {
    return Json.find(Json.at(object, "metadata.ownerReferences"), "controller", "true");
  }

  public static boolean controlledBy(JsonNode object, String uid) {
    return controller(object).path("uid").asText().equals(uid);
  }
}
