package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problems;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The {@code x-kubernetes-validations} of a structural schema. Compiled when first needed. */
public final class CelRules {
  private final JsonNode schema;
  private final boolean any;
  private final Map<String, CelRule> compiled = new ConcurrentHashMap<>();

  /** Rules of a whole schema. */
  public CelRules(JsonNode schema) {
    this.schema = schema;
    this.any = schema.findValue("x-kubernetes-validations") != null;
  }

  /** Whether there are any. */
  public boolean any() {
    return any;
  }

  /** Finds what breaks a rule; rules that look at the old value run only where there is one. */
  public void check(ObjectNode next, Optional<ObjectNode> old, Problems problems) {
    if (any) {
      JsonNode before = old.map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
      check("", new Values(next, before), schema, problems);
    }
  }

  /** A part of the object and what was there before. */
  private record Values(JsonNode now, JsonNode before) {}

  private void check(String path, Values values, JsonNode of, Problems problems) {
    for (JsonNode note : of.path("x-kubernetes-validations")) {
      CelRule rule = compiled.computeIfAbsent(note.path("rule").asText(), CelRule::compile);
      if (rule.isTransition() && values.before().isMissingNode()) {
        continue;
      }
      rule.failure(values.now(), values.before())
          .ifPresent(why -> report(path, of, note, why, problems));
    }
    if (values.now() instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        String name = field.getKey();
        JsonNode before = values.before().path(name);
        JsonNode child = Shape.field(of, name);
        String at = path.isEmpty() ? name : path + "." + name;
        check(at, new Values(field.getValue(), before), child, problems);
      }
    } else if (values.now() instanceof ArrayNode array) {
      checkItems(path, array, of, problems);
    }
  }

  private void checkItems(String path, ArrayNode items, JsonNode of, Problems problems) {
    // Items have no old value here: a list item is only correlated in keyed lists, which no rule of
    // ours needs.
    for (int i = 0; i < items.size(); i++) {
      Values item = new Values(items.get(i), MissingNode.getInstance());
      check(path + "[" + i + "]", item, of.path("items"), problems);
    }
  }

  private static void report(
      String path, JsonNode of, JsonNode note, String why, Problems problems) {
    String rule = note.path("rule").asText();
    String text = note.path("message").asText("failed rule: " + rule);
    String field = path + note.path("fieldPath").asText();
    // Real servers show the type in place of the value.
    problems.invalid(field, of.path("type").asText(), why.isEmpty() ? text : why);
  }
}
