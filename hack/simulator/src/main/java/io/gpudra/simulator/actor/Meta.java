package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads of {@code metadata}. */
public final class Meta {
  private Meta() {}

  public static String namespace(JsonNode object) {
    return object.path("metadata").path("namespace").asText();
  }

  public static String name(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  public static String uid(JsonNode object) {
    return object.path("metadata").path("uid").asText();
  }

  public static long version(JsonNode object) {
    return object.path("metadata").path("resourceVersion").asLong();
  }

  public static boolean deleting(JsonNode object) {
    return object.path("metadata").hasNonNull("deletionTimestamp");
  }

  /** {@code namespace/name}. */
  public static String key(JsonNode object) {
    return key(namespace(object), name(object));
  }

  public static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  /** The owner reference with {@code controller: true}; a missing node when there is none. */
  public static JsonNode controller(JsonNode object) {
    for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return owner;
      }
    }
    return object.path("no controller");
  }

  public static boolean controlledBy(JsonNode object, String uid) {
    return controller(object).path("uid").asText().equals(uid);
  }
}
