package io.gpudra.simulator.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.schema.Shape;
import java.util.List;
import java.util.Map;

/** JSON merge patches, and the strategic ones that know which lists have keys. */
public final class MergePatch {
  private MergePatch() {}

  /** RFC 7386. The original is changed where possible and the result returned. */
  public static ObjectNode merge(ObjectNode to, JsonNode patch) {
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      String name = field.getKey();
      if (field.getValue().isNull()) {
        to.remove(name);
      } else if (field.getValue().isObject()) {
        ObjectNode child = to.path(name) instanceof ObjectNode there ? there : to.putObject(name);
        merge(child, field.getValue());
      } else {
        to.set(name, field.getValue().deepCopy());
      }
    }
    return to;
  }

  /**
   * A strategic merge patch: lists with a merge key merge entry by entry, sets unite, other lists
   * are replaced; {@code $patch} deletes or replaces, {@code $deleteFromPrimitiveList} removes from
   * sets. {@code $setElementOrder} is ignored.
   */
  public static ObjectNode strategic(ObjectNode to, JsonNode patch, JsonNode schema) {
    if (patch.path("$patch").asText().equals("replace")) {
      to.removeAll();
    }
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      String name = field.getKey();
      if (name.startsWith("$")) {
        directive(to, name, field.getValue());
      } else if (field.getValue().isNull()
          || field.getValue().path("$patch").asText().equals("delete")) {
        to.remove(name);
      } else {
        to.set(name, value(to.path(name), field.getValue(), Shape.field(schema, name)));
      }
    }
    return to;
  }

  private static void directive(ObjectNode to, String name, JsonNode value) {
    String prefix = "$deleteFromPrimitiveList/";
    if (name.startsWith(prefix)
        && to.path(name.substring(prefix.length())) instanceof ArrayNode a) {
      Iterables.removeIf(a, item -> Iterables.contains(value, item));
    }
  }

  private static JsonNode value(JsonNode there, JsonNode patch, JsonNode schema) {
    if (patch.isObject()) {
      ObjectNode to = there instanceof ObjectNode object ? object : Json.object();
      return strategic(to, patch, schema);
    }
    if (!(patch instanceof ArrayNode items)) {
      return patch.deepCopy();
    }
    String key = schema.path("x-kubernetes-patch-merge-key").asText();
    boolean unites = schema.path("x-kubernetes-patch-strategy").asText().equals("merge");
    if (key.isEmpty() && !unites) {
      return items.deepCopy();
    }
    ArrayNode to = there instanceof ArrayNode array ? array : items.arrayNode();
    items.forEach(item -> mergeItem(to, item, key, schema.path("items")));
    return to;
  }

  private static void mergeItem(ArrayNode to, JsonNode item, String key, JsonNode schema) {
    List<String> keys = key.isEmpty() ? List.of() : List.of(key);
    int index = FieldSet.indexOf(to, FieldSet.step(item, keys), keys);
    boolean deletes = item.path("$patch").asText().equals("delete");
    if (index < 0 && !item.has("$patch")) {
      to.add(item.deepCopy());
    } else if (index >= 0 && deletes) {
      to.remove(index);
    } else if (index >= 0 && to.get(index) instanceof ObjectNode entry) {
      strategic(entry, item, schema);
    }
  }
}
