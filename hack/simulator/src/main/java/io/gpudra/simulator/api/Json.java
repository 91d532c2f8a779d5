package io.gpudra.simulator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Walking and copying of JSON trees. Paths are field names joined by dots. */
public final class Json {
  public static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private Json() {}

  /** An object of these names and values, in turn; values are nodes, or what Jackson can map. */
  public static ObjectNode object(Object... namesAndValues) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      JsonNode node = value instanceof JsonNode given ? given : MAPPER.valueToTree(value);
      object.set(namesAndValues[i].toString(), node);
    }
    return object;
  }

  /** Parses trusted text, such as a constant. */
  public static ObjectNode parse(String json) {
    try {
      return (ObjectNode) MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * A deep copy in which equal numbers are equal nodes: a {@code LongNode} that fits an int becomes
   * an {@code IntNode}, as a parser would make it, and nulls of objects are left out.
   */
  public static ObjectNode copy(ObjectNode from) {
    ObjectNode to = object();
    for (Map.Entry<String, JsonNode> field : from.properties()) {
      if (!field.getValue().isNull()) {
        to.set(field.getKey(), copyAny(field.getValue()));
      }
    }
    return to;
  }

  private static JsonNode copyAny(JsonNode from) {
    if (from instanceof ObjectNode object) {
      return copy(object);
    }
    if (from instanceof ArrayNode array) {
      ArrayNode to = JsonNodeFactory.instance.arrayNode(array.size());
      array.forEach(item -> to.add(copyAny(item)));
      return to;
    }
    return from.isLong() && from.canConvertToInt() ? IntNode.valueOf(from.intValue()) : from;
  }

  /** As JSON with the fields of objects in the order of their names. */
  public static String sorted(ObjectNode object) {
    try {
      return MAPPER
          .writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .writeValueAsString(MAPPER.convertValue(object, Object.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The node at a dotted path, or a missing node. */
  public static JsonNode at(JsonNode node, String path) {
    JsonNode here = node;
    int from = 0;
    while (from <= path.length()) {
      int dot = path.indexOf('.', from);
      int to = dot < 0 ? path.length() : dot;
      here = here.path(path.substring(from, to));
      from = to + 1;
    }
    return here.isNull() ? MissingNode.getInstance() : here;
  }

  /** The text at a dotted path; empty when absent. */
  public static String text(JsonNode node, String path) {
    return at(node, path).asText();
  }

  /** The texts of an array at a dotted path; empty when absent. */
  public static List<String> texts(JsonNode node, String path) {
    List<String> texts = new ArrayList<>();
    at(node, path).forEach(item -> texts.add(item.asText()));
    return texts;
  }

  /** The first item of a list whose field has this text, or a missing node. */
  public static JsonNode find(JsonNode list, String field, String value) {
    for (JsonNode item : list) {
      if (item.path(field).asText().equals(value)) {
        return item;
      }
    }
    return MissingNode.getInstance();
  }

  /** Adds an entry to a list in place of the one that has the same text in this field. */
  public static void replace(ArrayNode list, String field, ObjectNode entry) {
    Iterables.removeIf(list, old -> old.path(field).equals(entry.path(field)));
    list.add(entry);
  }

  /** The object's {@code metadata}, made when absent. */
  public static ObjectNode meta(ObjectNode object) {
    return object.withObjectProperty("metadata");
  }

  /** Sets a field, or removes it when the value is missing. */
  public static void put(ObjectNode object, String field, JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      object.remove(field);
    } else {
      object.set(field, value);
    }
  }
}
