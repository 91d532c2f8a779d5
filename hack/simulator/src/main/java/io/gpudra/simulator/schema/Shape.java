package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;

/** Reads structural schemas: what the parts of an object are made of. */
public final class Shape {
  private Shape() {}

  /** The schema of an object's field; missing when the schema does not know it. */
  public static JsonNode field(JsonNode schema, String name) {
    JsonNode property = schema.path("properties").path(name);
    JsonNode additional = schema.path("additionalProperties");
    if (property.isMissingNode() && additional.isObject()) {
      return additional;
    }
    return property;
  }

  /** Whether the object may have fields that the schema does not name. */
  public static boolean isOpen(JsonNode schema) {
    return schema.isMissingNode()
        || schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()
        || schema.path("additionalProperties").asBoolean();
  }

  /** Whether the object is a map whose keys are data, rather than a structure. */
  public static boolean isMap(JsonNode schema) {
    return schema.path("additionalProperties").isObject();
  }

  /** Whether the object is owned and replaced as a whole. */
  public static boolean isAtomic(JsonNode schema) {
    return schema.path("x-kubernetes-map-type").asText().equals("atomic");
  }

  /** The keys of the entries of a keyed list; empty for other lists. */
  public static List<String> listKeys(JsonNode schema) {
    List<String> keys = new ArrayList<>();
    if (schema.path("x-kubernetes-list-type").asText().equals("map")) {
      schema.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asText()));
    }
    return keys;
  }

  /** Whether a list is a set of scalars. */
  public static boolean isSet(JsonNode schema) {
    return schema.path("x-kubernetes-list-type").asText().equals("set");
  }

  /** The schema of what is not known. */
  public static JsonNode unknown() {
    return MissingNode.getInstance();
  }
}
