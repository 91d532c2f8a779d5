package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.schema.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** The built-in kinds, from {@code kinds.yaml} beside this class. */
public final class BuiltIns {
  /** Allows everything. */
  private static final String OPEN = "x-kubernetes-preserve-unknown-fields";

  /** Structures that Go types hold by value: they are there even when they are empty. */
  private static final List<String> STANDING = List.of("spec", "status");

  private static final JsonNode COMMON = read("object.yaml");

  private static final ImmutableMap<String, Rules> RULES =
      ImmutableMap.<String, Rules>builder()
          .put("Namespace", new CoreRules.Namespaces())
          .put("Pod", new PodRules())
          .put("Event", new EventRules())
          .put("Event.events.k8s.io", new EventRules.Strict())
          .put("Secret", new CoreRules.Secrets())
          .put("Lease", new CoreRules.Leases())
          .put("ResourceClass", new ResourceRules.Classes())
          .put("ResourceClaim", new ResourceClaimRules())
          .put("ResourceClaimTemplate", new ResourceRules.Templates())
          .put("PodSchedulingContext", new ResourceRules.Contexts())
          .put("CustomResourceDefinition", new CustomKinds.Definitions())
          .buildOrThrow();

  // Read once: seeded runs make thousands of servers a second.
  private static final List<Kind> KINDS = load();

  private BuiltIns() {}

  /** The built-in kinds. */
  public static List<Kind> kinds() {
    return KINDS;
  }

  private static List<Kind> load() {
    return Streams.stream(read("kinds.yaml")).map(BuiltIns::kind).toList();
  }

  private static JsonNode read(String name) {
    try (InputStream yaml = BuiltIns.class.getResourceAsStream(name)) {
      return new YAMLMapper().readTree(yaml);
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
        rules(names.kind(), Json.text(entry, "group")),
        schema(entry.path("known"), entry.path("lists")),
        Columns.builtIn(Json.texts(entry, "columns")));
  }

  private static Rules rules(String kind, String group) {
    return RULES.getOrDefault(kind + "." + group, RULES.getOrDefault(kind, Rules.NONE));
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
    schema.withObjectProperty("properties").setAll((ObjectNode) COMMON.deepCopy());
    return schema;
  }

  private static ObjectNode type(JsonNode known) {
    if (known.isMissingNode() || known.asText().equals("any")) {
      return Json.object(OPEN, true);
    }
    if (known.asText().equals("atomic")) {
      return Json.object(OPEN, true, "x-kubernetes-map-type", "atomic");
    }
    if (known.asText().equals("standing")) {
      return Json.object(OPEN, true, Shape.STANDING, true);
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
