package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.gpudra.simulator.api.Json;
import java.util.Map;

/** Makes structural schemas out of the short notes that describe built-in kinds. */
public final class BuiltInSchema {
  /** What metadata looks like to apply and patches, for every kind. */
  static final String METADATA =
      """
      {"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
        "labels":{"type":"object","additionalProperties":{"type":"string"}},
        "annotations":{"type":"object","additionalProperties":{"type":"string"}},
        "finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set",
          "x-kubernetes-patch-strategy":"merge"},
        "ownerReferences":{"type":"array","items":{"type":"object",
          "x-kubernetes-preserve-unknown-fields":true},"x-kubernetes-list-type":"map",
          "x-kubernetes-list-map-keys":["uid"],"x-kubernetes-patch-merge-key":"uid"}}}
      """;

  private BuiltInSchema() {}

  /**
   * A schema.
   *
   * @param known a tree of field names down to type names; {@code any} allows everything; missing
   *     when all fields are allowed
   * @param lists dotted paths of keyed lists and their keys; {@code =key} when only apply merges
   *     the list and a strategic merge patch replaces it, empty when it is always replaced
   */
  public static ObjectNode of(JsonNode known, JsonNode lists) {
    ObjectNode schema = type(known);
    withMetadata(schema);
    for (Map.Entry<String, JsonNode> list : lists.properties()) {
      if (!list.getValue().asText().isEmpty()) {
        key(list(schema, list.getKey()), list.getValue().asText());
      }
    }
    return schema;
  }

  /** Adds what all objects have in common to a schema. */
  public static ObjectNode withMetadata(ObjectNode schema) {
    ObjectNode properties = schema.withObjectProperty("properties");
    properties.putObject("apiVersion").put("type", "string");
    properties.putObject("kind").put("type", "string");
    properties.set("metadata", Json.parse(METADATA));
    return schema;
  }

  private static ObjectNode type(JsonNode known) {
    ObjectNode schema = Json.object();
    if (known.isMissingNode() || known.asText().equals("any")) {
      return schema.put("x-kubernetes-preserve-unknown-fields", true);
    }
    if (known instanceof ArrayNode) {
      return schema.put("type", "array").set("items", type(known.path(0)));
    }
    if (!known.isObject()) {
      return schema.put("type", known.asText());
    }
    ObjectNode properties = schema.put("type", "object").putObject("properties");
    known.properties().forEach(e -> properties.set(e.getKey(), type(e.getValue())));
    return schema;
  }

  private static ObjectNode list(ObjectNode root, String path) {
    ObjectNode here = root;
    for (String step : Splitter.on('.').split(path)) {
      boolean items = step.endsWith("[]");
      String name = items ? step.substring(0, step.length() - 2) : step;
      here = here.withObjectProperty("properties").withObjectProperty(name);
      if (!here.has("properties")) {
        here.put("x-kubernetes-preserve-unknown-fields", true);
      }
      here = items ? here.withObjectProperty("items") : here;
    }
    return here;
  }

  private static void key(ObjectNode list, String mark) {
    boolean applyOnly = mark.startsWith("=");
    String key = applyOnly ? mark.substring(1) : mark;
    list.put("type", "array").put("x-kubernetes-list-type", "map");
    list.putArray("x-kubernetes-list-map-keys").add(key);
    list.withObjectProperty("items");
    if (!applyOnly) {
      list.put("x-kubernetes-patch-merge-key", key);
    }
  }
}
