package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.base.Splitter;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.schema.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The built-in kinds, from {@code kinds.yaml} beside this class. */
public final class BuiltIns {
  /** Allows everything. */
  private static final String OPEN = "x-kubernetes-preserve-unknown-fields";

  /** Structures that Go types hold by value: they are there even when they are empty. */
  private static final List<String> STANDING = List.of("spec", "status");

  /** What metadata looks like to apply and patches, for every kind. */
  private static final String METADATA =
      """
      {"type":"object","x-standing":true,"properties":{
        "name":{"type":"string"},"generateName":{"type":"string"},"namespace":{"type":"string"},
        "selfLink":{"type":"string"},"uid":{"type":"string"},"resourceVersion":{"type":"string"},
        "generation":{"type":"integer"},"creationTimestamp":{"type":"string"},
        "deletionTimestamp":{"type":"string"},"deletionGracePeriodSeconds":{"type":"integer"},
        "managedFields":{"type":"array","items":{"type":"object",
          "x-kubernetes-preserve-unknown-fields":true}},
        "labels":{"type":"object","additionalProperties":{"type":"string"}},
        "annotations":{"type":"object","additionalProperties":{"type":"string"}},
        "finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set",
          "x-kubernetes-patch-strategy":"merge"},
        "ownerReferences":{"type":"array","items":{"type":"object","x-kubernetes-map-type":"atomic",
          "x-kubernetes-preserve-unknown-fields":true},"x-kubernetes-list-type":"map",
          "x-kubernetes-list-map-keys":["uid"],"x-kubernetes-patch-merge-key":"uid"}}}
      """;

  private static final Map<String, Rules> RULES =
      Map.of(
          "Namespace", new CoreRules.Namespaces(),
          "Pod", new PodRules(),
          "Event", new CoreRules.Events(),
          "Secret", new CoreRules.Secrets(),
          "Lease", new CoreRules.Leases(),
          "ResourceClass", new ResourceRules.Classes(),
          "ResourceClaim", new ResourceClaimRules(),
          "ResourceClaimTemplate", new ResourceRules.Templates(),
          "PodSchedulingContext", new ResourceRules.Contexts(),
          "CustomResourceDefinition", new CustomKinds.Definitions());

  // Read once: seeded runs make thousands of servers a second.
  private static final List<Kind> KINDS = load();

  private BuiltIns() {}

  /** The built-in kinds. */
  public static List<Kind> kinds() {
    return KINDS;
  }

  private static List<Kind> load() {
    try (InputStream yaml = BuiltIns.class.getResourceAsStream("kinds.yaml")) {
      List<Kind> kinds = new ArrayList<>();
      new YAMLMapper().readTree(yaml).forEach(entry -> kinds.add(kind(entry)));
      return List.copyOf(kinds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Kind kind(JsonNode entry) {
    Kind.Names names = Kind.Names.of(entry.path("names"));
    String plural = Json.text(entry, "names.plural");
    String letters = Json.text(entry, "traits");
    Kind.Traits traits =
        new Kind.Traits(
            entry.path("namespaced").asBoolean(),
            letters.contains("s"),
            letters.contains("g"),
            letters.contains("p"),
            letters.contains("r"),
            letters.contains("o"));
    return new Kind(
        new Resource(Json.text(entry, "group"), Json.text(entry, "version"), plural),
        names,
        traits,
        RULES.getOrDefault(names.kind(), Rules.NONE),
        schema(entry.path("known"), entry.path("lists")),
        Columns.builtIn(Json.texts(entry, "columns")));
  }

  /**
   * A structural schema.
   *
   * @param known a tree of field names down to type names; {@code any} allows everything; missing
   *     when all fields are allowed
   * @param lists dotted paths of keyed lists and their keys; {@code =key} when only apply merges
   *     the list and a strategic merge patch replaces it
   */
  private static ObjectNode schema(JsonNode known, JsonNode lists) {
    ObjectNode schema = withMetadata(type(known));
    for (String name : STANDING) {
      if (known.isMissingNode() || known.has(name)) {
        ObjectNode structure = schema.withObjectProperty("properties").withObjectProperty(name);
        structure.put(Shape.STANDING, true).put(OPEN, known.isMissingNode());
      }
    }
    lists.properties().forEach(list -> addKey(schema, list.getKey(), list.getValue().asText()));
    return schema;
  }

  /** Adds what all objects have in common to a schema. */
  static ObjectNode withMetadata(ObjectNode schema) {
    ObjectNode properties = schema.withObjectProperty("properties");
    properties.set("apiVersion", Json.object("type", "string"));
    properties.set("kind", Json.object("type", "string"));
    properties.set("metadata", Json.parse(METADATA));
    return schema;
  }

  private static ObjectNode type(JsonNode known) {
    if (known.isMissingNode() || known.asText().equals("any")) {
      return Json.object(OPEN, true);
    }
    if (known.isArray()) {
      return Json.object("type", "array", "items", type(known.path(0)));
    }
    if (!known.isObject()) {
      return Json.object("type", known.asText());
    }
    ObjectNode properties = Json.object();
    known.properties().forEach(e -> properties.set(e.getKey(), type(e.getValue())));
    return Json.object("type", "object", "properties", properties);
  }

  private static void addKey(ObjectNode schema, String path, String mark) {
    ObjectNode list = schema;
    for (String step : Splitter.on('.').split(path)) {
      list = inside(list, "properties").withObjectProperty(step.replace("[]", ""));
      list = step.endsWith("[]") ? inside(list, "items") : list;
    }
    boolean applyOnly = mark.startsWith("=");
    String key = applyOnly ? mark.substring(1) : mark;
    list.put("type", "array").put("x-kubernetes-list-type", "map");
    list.putArray("x-kubernetes-list-map-keys").add(key);
    inside(inside(list, "items"), "properties");
    if (!applyOnly) {
      list.put("x-kubernetes-patch-merge-key", key);
    }
  }

  /** A part of a schema, which allows everything where nothing is known. */
  private static ObjectNode inside(ObjectNode schema, String part) {
    if (!schema.has("properties") && !schema.has("items")) {
      schema.put(OPEN, true);
    }
    return schema.withObjectProperty(part);
  }
}
