package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Removes the fields a structural schema does not know, and fills in its defaults. */
public final class Pruning {
  private Pruning() {}

  /**
   * Removes unknown fields.
   *
   * @return their paths
   */
  public static List<String> prune(ObjectNode object, JsonNode schema) {
    List<String> gone = new ArrayList<>();
    prune(object, schema, "", gone);
    return gone;
  }

  private static void prune(JsonNode value, JsonNode schema, String path, List<String> gone) {
    if (value instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        prune(array.get(i), schema.path("items"), path + "[" + i + "]", gone);
      }
    } else if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> field : List.copyOf(object.properties())) {
        pruneField(object, field, schema, path.isEmpty() ? "" : path + ".", gone);
      }
    }
  }

  private static void pruneField(
      ObjectNode object,
      Map.Entry<String, JsonNode> field,
      JsonNode schema,
      String prefix,
      List<String> gone) {
    JsonNode of = Shape.field(schema, field.getKey());
    if (!of.isMissingNode()) {
      prune(field.getValue(), of, prefix + field.getKey(), gone);
    } else if (!Shape.isOpen(schema)) {
      object.remove(field.getKey());
      gone.add(prefix + field.getKey());
    }
  }

  /** Fills in defaults where the surrounding object is there. */
  public static void fillDefaults(JsonNode value, JsonNode schema) {
    if (value instanceof ArrayNode array) {
      array.forEach(item -> fillDefaults(item, schema.path("items")));
    } else if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
        JsonNode standard = property.getValue().path("default");
        if (!standard.isMissingNode() && !object.hasNonNull(property.getKey())) {
          object.set(property.getKey(), standard.deepCopy());
        }
      }
      object.properties().forEach(f -> fillDefaults(f.getValue(), Shape.field(schema, f.getKey())));
    }
  }
}
