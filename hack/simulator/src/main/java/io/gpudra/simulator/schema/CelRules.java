package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import java.util.ArrayList;
import java.util.List;
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

  /** What breaks a rule; rules that look at the old value run only where there is one. */
  public List<Problem> problems(ObjectNode next, Optional<ObjectNode> old) {
    List<Problem> problems = new ArrayList<>();
    if (any) {
      JsonNode before = old.map(JsonNode.class::cast).orElseGet(MissingNode::getInstance);
      check("", new Values(next, before), schema, problems);
    }
    return problems;
  }

  /** A part of the object and what was there before. */
  private record Values(JsonNode now, JsonNode before) {}

  private void check(String path, Values values, JsonNode of, List<Problem> problems) {
    for (JsonNode note : of.path("x-kubernetes-validations")) {
      CelRule rule = compiled.computeIfAbsent(note.path("rule").asText(), CelRule::compile);
      if (rule.isTransition() && values.before().isMissingNode()) {
        continue;
      }
      rule.failure(values.now(), values.before())
          .ifPresent(why -> problems.add(problem(path, of, note, why)));
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

  private void checkItems(String path, ArrayNode items, JsonNode of, List<Problem> problems) {
    // Items have no old value here: a list item is only correlated in keyed lists, which no rule of
    // ours needs.
    for (int i = 0; i < items.size(); i++) {
      Values item = new Values(items.get(i), MissingNode.getInstance());
      check(path + "[" + i + "]", item, of.path("items"), problems);
    }
  }

  private static Problem problem(String path, JsonNode of, JsonNode note, String why) {
    String message = note.path("message").asText();
    String text = message.isEmpty() ? "failed rule: " + note.path("rule").asText() : message;
    String shown = why.isEmpty() ? text : why;
    String field = path + note.path("fieldPath").asText();
    String found = of.path("type").asText();
    // Real servers show the type in place of the value.
    return Problem.invalid(field, found, shown);
  }
}
