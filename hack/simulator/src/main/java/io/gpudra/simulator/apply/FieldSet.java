package io.gpudra.simulator.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.schema.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The fields of an object as field managers own them: a field is the list of steps to it, {@code
 * f:name} into an object, {@code k:{"name":"a"}} into a keyed list, {@code v:"a"} into a set.
 * Leaves and the entries of lists and maps are fields; structures are not.
 */
final class FieldSet {
  private static final Comparator<List<String>> ORDER =
      Comparators.lexicographical(Comparator.<String>naturalOrder())::compare;

  private FieldSet() {}

  static NavigableSet<List<String>> empty() {
    return new TreeSet<>(ORDER);
  }

  /** The fields with their values; entries that have fields of their own have a mark instead. */
  static NavigableMap<List<String>, JsonNode> of(ObjectNode object, JsonNode schema) {
    NavigableMap<List<String>, JsonNode> fields = new TreeMap<>(ORDER);
    collect(List.of(), object, schema, fields);
    return fields;
  }

  /** The same with marks for structures, which the manager owns that created them by an update. */
  static NavigableMap<List<String>, JsonNode> withStructures(ObjectNode object, JsonNode schema) {
    NavigableMap<List<String>, JsonNode> fields = of(object, schema);
    addStructures(List.of(), object, schema, fields);
    return fields;
  }

  private static void addStructures(
      List<String> path, JsonNode value, JsonNode schema, Map<List<String>, JsonNode> to) {
    boolean granular = value.isArray() && isGranular(schema);
    if (Shape.isAtomic(schema) || !(value.isObject() || granular)) {
      return;
    }
    if (!path.isEmpty() && !Shape.isStanding(schema)) {
      to.put(path, BooleanNode.TRUE);
    } else if (value.isEmpty()) {
      to.remove(path);
    }
    List<String> keys = Shape.listKeys(schema);
    value.forEach(
        item -> {
          if (granular && !keys.isEmpty()) {
            addStructures(plus(path, step(item, keys)), item, schema.path("items"), to);
          }
        });
    value
        .properties()
        .forEach(
            f ->
                addStructures(
                    plus(path, "f:" + f.getKey()),
                    f.getValue(),
                    Shape.field(schema, f.getKey()),
                    to));
  }

  private static void collect(
      List<String> path, JsonNode value, JsonNode schema, Map<List<String>, JsonNode> to) {
    if (value instanceof ObjectNode object && !object.isEmpty() && !Shape.isAtomic(schema)) {
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        List<String> at = plus(path, "f:" + field.getKey());
        if (Shape.isMap(schema)) {
          to.put(at, BooleanNode.TRUE);
        }
        collect(at, field.getValue(), Shape.field(schema, field.getKey()), to);
      }
    } else if (value instanceof ArrayNode array && isGranular(schema)) {
      List<String> keys = Shape.listKeys(schema);
      for (JsonNode item : array) {
        List<String> at = plus(path, step(item, keys));
        to.put(at, BooleanNode.TRUE);
        if (!keys.isEmpty()) {
          collect(at, item, schema.path("items"), to);
        }
      }
    } else if (!path.isEmpty() && !isZero(value, schema)) {
      to.put(path, value);
    }
  }

  private static boolean isZero(JsonNode value, JsonNode schema) {
    return Shape.isStanding(schema) && value.isTextual() && value.asText().isEmpty();
  }

  static boolean isGranular(JsonNode schema) {
    return Shape.isSet(schema) || !Shape.listKeys(schema).isEmpty();
  }

  /** The step to an entry of a granular list. */
  static String step(JsonNode item, List<String> keys) {
    return keys.isEmpty() ? "v:" + item : "k:" + Shape.key(item, keys);
  }

  /** The place of the entry that this step leads to; negative when there is none. */
  static int indexOf(ArrayNode items, String step, List<String> keys) {
    for (int i = 0; i < items.size(); i++) {
      if (step(items.get(i), keys).equals(step)) {
        return i;
      }
    }
    return -1;
  }

  static List<String> plus(List<String> path, String step) {
    return ImmutableList.<String>builder().addAll(path).add(step).build();
  }

  /** In the form that managedFields has. */
  static ObjectNode toJson(NavigableSet<List<String>> fields) {
    ObjectNode root = Json.object();
    for (List<String> field : fields) {
      ObjectNode here = root;
      for (String step : field) {
        here = here.withObjectProperty(step);
      }
      here.putObject(".");
    }
    tidy(root);
    return root;
  }

  /** A field without fields below needs no mark of its own. */
  private static void tidy(ObjectNode node) {
    if (node.size() == 1 && node.has(".")) {
      node.removeAll();
    }
    node.forEach(child -> tidy((ObjectNode) child));
  }

  static NavigableSet<List<String>> fromJson(JsonNode fieldsV1) {
    NavigableSet<List<String>> fields = empty();
    read(List.of(), fieldsV1, fields);
    return fields;
  }

  private static void read(List<String> path, JsonNode node, NavigableSet<List<String>> to) {
    if (node.isEmpty() && !path.isEmpty()) {
      to.add(path);
    }
    for (Map.Entry<String, JsonNode> step : node.properties()) {
      if (step.getKey().equals(".")) {
        to.add(path);
      } else {
        read(plus(path, step.getKey()), step.getValue(), to);
      }
    }
  }

  /** As conflicts show it, such as {@code .status.resourceClaims[name="c1"].unsuitableNodes}. */
  static String text(List<String> field) {
    StringBuilder text = new StringBuilder();
    for (String step : field) {
      String rest = step.substring(2);
      switch (step.charAt(0)) {
        case 'f' -> text.append('.').append(rest);
        case 'v' -> text.append("[=").append(rest).append(']');
        default -> text.append('[').append(keyText(rest)).append(']');
      }
    }
    return text.toString();
  }

  private static String keyText(String key) {
    List<String> parts = new ArrayList<>();
    Json.parse(key).properties().forEach(e -> parts.add(e.getKey() + "=" + e.getValue()));
    return String.join(",", parts);
  }
}
