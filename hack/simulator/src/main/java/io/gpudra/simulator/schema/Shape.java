package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Streams;
import io.gpudra.simulator.api.Json;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads structural schemas: what the parts of an object are made of. */
public final class Shape {
  /** Marks what {@link #isStanding} finds. */
  public static final String STANDING = "x-standing";

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

  /** Why the value cannot be read as what the schema says; empty when it can. */
  public static Optional<String> mismatch(String path, JsonNode value, JsonNode schema) {
    String type = schema.path("type").asText();
    boolean wrong =
        switch (type) {
          case "string" -> !value.isTextual();
          case "boolean" -> !value.isBoolean();
          case "array" -> !value.isArray();
          case "object" -> !value.isObject();
          default -> false;
        };
    if (wrong) {
      String found = value.getNodeType().name().toLowerCase(Locale.ROOT);
      return Optional.of(
          "json: cannot unmarshal %s into field %s of type %s".formatted(found, path, type));
    }
    Stream<Optional<String>> parts =
        value.isArray()
            ? Streams.stream(value).map(item -> mismatch(path, item, schema.path("items")))
            : value.properties().stream()
                .map(
                    f ->
                        mismatch(path + "." + f.getKey(), f.getValue(), field(schema, f.getKey())));
    return parts.flatMap(Optional::stream).findFirst();
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

  /** Whether the structure exists in every object of its kind, so that no manager owns it. */
  public static boolean isStanding(JsonNode schema) {
    return schema.path(STANDING).asBoolean();
  }

  /** Whether the object is owned and replaced as a whole. */
  public static boolean isAtomic(JsonNode schema) {
    return schema.path("x-kubernetes-map-type").asText().equals("atomic");
  }

  /** The keys of the entries of a keyed list; empty for other lists. */
  public static List<String> listKeys(JsonNode schema) {
    return schema.path("x-kubernetes-list-type").asText().equals("map")
        ? Json.texts(schema, "x-kubernetes-list-map-keys")
        : List.of();
  }

  /** Whether a list is a set of scalars. */
  public static boolean isSet(JsonNode schema) {
    return schema.path("x-kubernetes-list-type").asText().equals("set");
  }

  /** The identity of an entry of a keyed list: its key fields alone, in the order of the keys. */
  public static ObjectNode key(JsonNode item, List<String> keys) {
    ObjectNode key = Json.object();
    keys.forEach(name -> Json.put(key, name, item.path(name)));
    return key;
  }
}
