package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Traits;
import io.gpudra.simulator.schema.BuiltInSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The built-in kinds, from {@code kinds.yaml} beside this class. */
public final class BuiltIns {
  private static final Map<String, Rules> RULES =
      Map.of(
          "Namespace", new NamespaceRules(),
          "Pod", new PodRules(),
          "Event", new EventRules(),
          "Lease", new LeaseRules(),
          "ResourceClass", new ResourceClassRules(),
          "ResourceClaim", new ResourceClaimRules(),
          "ResourceClaimTemplate", new ClaimTemplateRules(),
          "PodSchedulingContext", new SchedulingContextRules(),
          "CustomResourceDefinition", new DefinitionRules());

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
    Resource resource =
        new Resource(
            Json.text(entry, "group"),
            Json.text(entry, "version"),
            Json.text(entry, "names.plural"));
    ObjectNode schema = BuiltInSchema.of(entry.path("known"), entry.path("lists"));
    Rules own = RULES.getOrDefault(names.kind(), Rules.NONE);
    Rules rules = entry.has("known") ? new KnownFields(own, schema) : own;
    return new Kind(
        resource,
        names,
        traits(entry),
        rules,
        schema,
        Columns.builtIn(Json.texts(entry, "columns")));
  }

  private static Traits traits(JsonNode entry) {
    String letters = Json.text(entry, "traits");
    return new Traits(
        entry.path("namespaced").asBoolean(),
        letters.contains("s"),
        letters.contains("g"),
        letters.contains("p"),
        letters.contains("r"),
        letters.contains("o"));
  }
}
