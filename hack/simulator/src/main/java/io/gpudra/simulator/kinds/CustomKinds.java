package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.schema.CelRules;
import io.gpudra.simulator.schema.Pruning;
import io.gpudra.simulator.schema.Schema;
import java.util.Optional;

/** Turns CustomResourceDefinitions into kinds. The storage version is the one that is served. */
public final class CustomKinds {
  private CustomKinds() {}

  /** The kind a definition describes; empty when none of its versions is stored. */
  public static Optional<Kind> of(ObjectNode definition) {
    JsonNode stored = Json.find(at(definition, "spec.versions"), "storage", "true");
    return stored.isMissingNode() ? Optional.empty() : Optional.of(kind(definition, stored));
  }

  private static Kind kind(ObjectNode definition, JsonNode version) {
    String plural = text(definition, "spec.names.plural");
    boolean namespaced = text(definition, "spec.scope").equals("Namespaced");
    boolean status = !at(version, "subresources.status").isMissingNode();
    ObjectNode schema = (ObjectNode) at(version, "schema.openAPIV3Schema").deepCopy();
    BuiltIns.withMetadata(schema);
    return new Kind(
        new Resource(text(definition, "spec.group"), text(version, "name"), plural),
        Kind.Names.of(at(definition, "spec.names")),
        new Kind.Traits(namespaced, status, true, false, true, false),
        new Structural(schema, new CelRules(schema)),
        schema,
        Columns.custom(version.path("additionalPrinterColumns")));
  }

  /** What a structural schema demands; its CEL rules only run on what has the right shape. */
  private record Structural(ObjectNode schema, CelRules cel) implements Rules {
    @Override
    public void prepareCreate(ObjectNode object) {
      Pruning.fillDefaults(object, schema);
    }

    @Override
    public void prepareUpdate(ObjectNode next, ObjectNode old) {
      Pruning.fillDefaults(next, schema);
    }

    @Override
    public void check(Write write, Problems problems) {
      Schema.check(write.next(), schema, problems);
      if (!problems.areBlocking()) {
        cel.check(write.next(), write.old(), problems);
      } else if (cel.any()) {
        String rule =
            "some validation rules were not checked because the object was invalid; correct the"
                + " existing errors to complete validation";
        problems.invalid("<nil>", "null", rule);
      }
    }
  }

  /** CustomResourceDefinitions: established at once, so a client need not wait for it. */
  static final class Definitions implements Rules {
    @Override
    public void prepareCreate(ObjectNode definition) {
      prepareUpdate(definition, definition);
      ObjectNode status = definition.putObject("status");
      status.set("acceptedNames", at(definition, "spec.names").deepCopy());
      ArrayNode stored = status.putArray("storedVersions");
      of(definition).ifPresent(kind -> stored.add(kind.resource().version()));
      ArrayNode conditions = status.putArray("conditions");
      JsonNode now = at(definition, "metadata.creationTimestamp");
      conditions.add(condition("NamesAccepted", "NoConflicts", "no conflicts found", now));
      String established = "the initial names have been accepted";
      conditions.add(condition("Established", "InitialNamesAccepted", established, now));
    }

    private static ObjectNode condition(String type, String reason, String text, JsonNode now) {
      ObjectNode condition = Json.object("type", type, "status", "True", "reason", reason);
      return condition.put("message", text).set("lastTransitionTime", now);
    }

    @Override
    public void prepareUpdate(ObjectNode next, ObjectNode old) {
      ObjectNode spec = next.withObjectProperty("spec");
      ObjectNode names = spec.withObjectProperty("names");
      Kind.Names full = Kind.Names.of(names);
      names.put("singular", full.singular()).put("listKind", full.listKind());
      spec.putIfAbsent("conversion", Json.object("strategy", "None"));
    }

    @Override
    public void check(Write write, Problems problems) {
      ObjectNode next = write.next();
      String name = text(next, "metadata.name");
      String group = text(next, "spec.group");
      if (!name.equals(text(next, "spec.names.plural") + "." + group)) {
        String rule = "must be spec.names.plural+\".\"+spec.group";
        problems.invalid("metadata.name", name, rule);
      }
      problems.subdomain("spec.group", group);
      JsonNode versions = at(next, "spec.versions");
      for (int i = 0; i < versions.size(); i++) {
        if (at(versions.get(i), "schema.openAPIV3Schema").isMissingNode()) {
          String field = "spec.versions[" + i + "].schema.openAPIV3Schema";
          problems.required(field, "schemas are required");
        }
      }
    }
  }
}
