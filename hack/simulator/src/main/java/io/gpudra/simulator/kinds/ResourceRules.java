package io.gpudra.simulator.kinds;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Problems;
import java.util.HashSet;
import java.util.Set;

/** Rules of resource.k8s.io but claims: classes, templates, scheduling contexts. */
final class ResourceRules {
  private static final int NODE_LIST_LIMIT = 128;
  private static final Set<String> OF_TEMPLATES =
      ImmutableSet.of("labels", "annotations", "creationTimestamp");

  private ResourceRules() {}

  /** Every field may change at any time. */
  static final class Classes implements Rules {
    @Override
    public void check(Write write, Problems problems) {
      ObjectNode next = write.next();
      problems.driver("driverName", text(next, "driverName"));
      if (next.has("parametersRef")) {
        problems.requiredFields("parametersRef", next.path("parametersRef"), "kind", "name");
      }
      if (next.has("suitableNodes")) {
        checkSelector("suitableNodes", next.path("suitableNodes"), problems);
      }
    }
  }

  /** Immutable, with metadata that may only carry labels and annotations. */
  static final class Templates implements Rules {
    @Override
    public void prepareCreate(ObjectNode template) {
      ObjectNode spec = template.withObjectProperty("spec");
      spec.withObjectProperty("metadata");
      ResourceClaimRules.defaultMode(spec.withObjectProperty("spec"));
    }

    @Override
    public void prepareUpdate(ObjectNode next, ObjectNode old) {
      prepareCreate(next);
    }

    @Override
    public void check(Write write, Problems problems) {
      JsonNode spec = at(write.next(), "spec");
      if (write.old().isPresent()) {
        problems.immutable("spec", at(write.old().get(), "spec"), spec);
        return;
      }
      for (var field : spec.path("metadata").properties()) {
        if (!OF_TEMPLATES.contains(field.getKey())) {
          problems.forbidden("spec.metadata." + field.getKey(), "cannot be set");
        }
      }
      ResourceClaimRules.checkSpec("spec.spec", spec.path("spec"), problems);
    }
  }

  /** Limits, names and duplicates of node lists. */
  static final class Contexts implements Rules {
    @Override
    public void prepareCreate(ObjectNode context) {
      context.putObject("status");
      context.withObjectProperty("spec");
    }

    @Override
    public void prepareUpdate(ObjectNode next, ObjectNode old) {
      next.withObjectProperty("spec");
      for (JsonNode claim : next.withObjectProperty("status").path("resourceClaims")) {
        if (claim instanceof ObjectNode entry && entry.path("unsuitableNodes").isEmpty()) {
          entry.remove("unsuitableNodes");
        }
      }
    }

    @Override
    public void check(Write write, Problems problems) {
      if (write.status()) {
        checkClaims(at(write.next(), "status.resourceClaims"), problems);
        return;
      }
      // The real server validates the main resource twice and reports both.
      for (int times = 0; times < 2; times++) {
        JsonNode nodes = at(write.next(), "spec.potentialNodes");
        checkNodes("spec.potentialNodes", nodes, problems);
      }
    }

    private static void checkClaims(JsonNode claims, Problems problems) {
      Set<JsonNode> names = new HashSet<>();
      for (int i = 0; i < claims.size(); i++) {
        // The field is called resourceClaims, the real server's errors call it claims.
        String field = "status.claims[" + i + "]";
        JsonNode nodes = claims.get(i).path("unsuitableNodes");
        checkNodes(field + ".unsuitableNodes", nodes, problems);
        if (!names.add(claims.get(i).path("name"))) {
          problems.duplicate(field, claims.get(i).path("name"));
        }
      }
    }

    private static void checkNodes(String field, JsonNode nodes, Problems problems) {
      if (nodes.size() > NODE_LIST_LIMIT) {
        problems.tooLong(field, NODE_LIST_LIMIT);
      }
      Set<JsonNode> seen = new HashSet<>();
      for (int i = 0; i < nodes.size(); i++) {
        String item = field + "[" + i + "]";
        problems.subdomain(item, nodes.get(i).asText());
        if (!seen.add(nodes.get(i))) {
          problems.duplicate(item, nodes.get(i));
        }
      }
    }
  }

  /** What a node selector must look like. */
  static void checkSelector(String field, JsonNode selector, Problems problems) {
    JsonNode terms = selector.path("nodeSelectorTerms");
    String list = field + ".nodeSelectorTerms";
    if (terms.isEmpty()) {
      problems.required(list, "must have at least one node selector term");
    }
    for (int i = 0; i < terms.size(); i++) {
      String prefix = list + "[" + i + "].match";
      JsonNode expressions = terms.get(i).path("matchExpressions");
      for (int j = 0; j < expressions.size(); j++) {
        checkExpression(prefix + "Expressions[" + j + "]", expressions.get(j), problems);
      }
      JsonNode fields = terms.get(i).path("matchFields");
      for (int j = 0; j < fields.size(); j++) {
        checkFieldMatch(prefix + "Fields[" + j + "]", fields.get(j), problems);
      }
    }
  }

  private static void checkExpression(String field, JsonNode expression, Problems problems) {
    int count = expression.path("values").size();
    String values = field + ".values";
    switch (text(expression, "operator")) {
      case "In", "NotIn" -> {
        if (count == 0) {
          problems.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
        }
      }
      case "Gt", "Lt" -> {
        if (count != 1) {
          String rule = "must be specified single value when `operator` is 'Lt' or 'Gt'";
          problems.required(values, rule);
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (count > 0) {
          String rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
          problems.forbidden(values, rule);
        }
      }
      default ->
          problems.invalid(
              field + ".operator", text(expression, "operator"), "not a valid selector operator");
    }
  }

  private static void checkFieldMatch(String field, JsonNode requirement, Problems problems) {
    if (requirement.path("values").size() != 1) {
      problems.required(
          field + ".values",
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
    String key = text(requirement, "key");
    if (!key.equals("metadata.name")) {
      problems.invalid(field + ".key", key, "not a valid field selector key");
    }
  }
}
