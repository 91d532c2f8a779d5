package io.gpudra.simulator.rules;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Problem;
import java.util.ArrayList;
import java.util.List;

/** What a node selector must look like. */
final class NodeSelectorRules {
  private NodeSelectorRules() {}

  static List<Problem> problems(String field, JsonNode selector) {
    JsonNode terms = selector.path("nodeSelectorTerms");
    if (terms.isEmpty()) {
      return List.of(
          Problem.required(
              field + ".nodeSelectorTerms", "must have at least one node selector term"));
    }
    List<Problem> problems = new ArrayList<>();
    for (int i = 0; i < terms.size(); i++) {
      String term = field + ".nodeSelectorTerms[" + i + "]";
      JsonNode expressions = terms.get(i).path("matchExpressions");
      for (int j = 0; j < expressions.size(); j++) {
        problems.addAll(expression(term + ".matchExpressions[" + j + "]", expressions.get(j)));
      }
      JsonNode fields = terms.get(i).path("matchFields");
      for (int j = 0; j < fields.size(); j++) {
        problems.addAll(fieldMatch(term + ".matchFields[" + j + "]", fields.get(j)));
      }
    }
    return problems;
  }

  private static List<Problem> expression(String field, JsonNode requirement) {
    int values = requirement.path("values").size();
    return switch (text(requirement, "operator")) {
      case "In", "NotIn" ->
          values > 0
              ? List.of()
              : List.of(
                  Problem.required(
                      field + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
      case "Exists", "DoesNotExist" ->
          values == 0
              ? List.of()
              : List.of(
                  Problem.forbidden(
                      field + ".values",
                      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      case "Gt", "Lt" ->
          values == 1
              ? List.of()
              : List.of(
                  Problem.required(
                      field + ".values",
                      "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      default ->
          List.of(
              Problem.invalid(
                  field + ".operator",
                  text(requirement, "operator"),
                  "not a valid selector operator"));
    };
  }

  private static List<Problem> fieldMatch(String field, JsonNode requirement) {
    List<Problem> problems = new ArrayList<>();
    if (requirement.path("values").size() != 1) {
      problems.add(
          Problem.required(
              field + ".values",
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
    }
    if (!text(requirement, "key").equals("metadata.name")) {
      problems.add(
          Problem.invalid(
              field + ".key", text(requirement, "key"), "not a valid field selector key"));
    }
    return problems;
  }
}
