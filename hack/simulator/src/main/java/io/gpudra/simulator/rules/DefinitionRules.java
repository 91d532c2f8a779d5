package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.kinds.Write;
import java.util.ArrayList;
import java.util.List;

/** CustomResourceDefinitions: established at once, so a client need not wait for it. */
final class DefinitionRules implements Rules {

  @Override
  public void prepareCreate(ObjectNode definition) {
    fillNames(definition);
    ObjectNode status = definition.putObject("status");
    status.set("acceptedNames", at(definition, "spec.names").deepCopy());
    ArrayNode conditions = status.putArray("conditions");
    String now = text(definition, "metadata.creationTimestamp");
    condition(conditions, now, "NamesAccepted", "NoConflicts", "no conflicts found");
    condition(
        conditions,
        now,
        "Established",
        "InitialNamesAccepted",
        "the initial names have been accepted");
    ArrayNode stored = status.putArray("storedVersions");
    at(definition, "spec.versions").forEach(version -> addStored(version, stored));
  }

  @Override
  public void prepareUpdate(ObjectNode next, ObjectNode old) {
    fillNames(next);
  }

  private static void fillNames(ObjectNode definition) {
    ObjectNode spec = definition.withObjectProperty("spec");
    ObjectNode names = spec.withObjectProperty("names");
    Kind.Names full = Kind.Names.of(names);
    names.put("singular", full.singular()).put("listKind", full.listKind());
    if (!spec.has("conversion")) {
      spec.putObject("conversion").put("strategy", "None");
    }
  }

  private static void addStored(JsonNode version, ArrayNode stored) {
    if (version.path("storage").asBoolean()) {
      stored.add(version.path("name"));
    }
  }

  private static void condition(
      ArrayNode to, String time, String type, String reason, String message) {
    to.addObject()
        .put("type", type)
        .put("status", "True")
        .put("reason", reason)
        .put("message", message)
        .put("lastTransitionTime", time);
  }

  @Override
  public List<Problem> problems(Write write) {
    ObjectNode next = write.next();
    List<Problem> problems = new ArrayList<>();
    String full = text(next, "spec.names.plural") + "." + text(next, "spec.group");
    if (!text(next, "metadata.name").equals(full)) {
      problems.add(
          Problem.invalid(
              "metadata.name",
              text(next, "metadata.name"),
              "must be spec.names.plural+\".\"+spec.group"));
    }
    problems.addAll(Naming.subdomain("spec.group", text(next, "spec.group")));
    JsonNode versions = at(next, "spec.versions");
    for (int i = 0; i < versions.size(); i++) {
      if (at(versions.get(i), "schema.openAPIV3Schema").isMissingNode()) {
        String field = "spec.versions[" + i + "].schema.openAPIV3Schema";
        problems.add(Problem.required(field, "schemas are required"));
      }
    }
    return problems;
  }
}
