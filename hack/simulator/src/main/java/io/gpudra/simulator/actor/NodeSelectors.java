package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;

/** A core NodeSelector: terms are alternatives, the requirements of a term must all hold. */
public final class NodeSelectors {
  private NodeSelectors() {}

  /** An absent selector admits every node; a term without requirements admits none. */
  public static boolean matches(JsonNode selector, JsonNode node) {
    if (selector.isMissingNode() || selector.isNull()) {
      return true;
    }
    for (JsonNode term : selector.path("nodeSelectorTerms")) {
      if (termMatches(term, node)) {
        return true;
      }
    }
    return false;
  }

  private static boolean termMatches(JsonNode term, JsonNode node) {
    if (term.path("matchExpressions").isEmpty() && term.path("matchFields").isEmpty()) {
      return false;
    }
    for (JsonNode requirement : term.path("matchExpressions")) {
      JsonNode labels = node.path("metadata").path("labels");
      if (!holds(requirement, labels.path(requirement.path("key").asText()))) {
        return false;
      }
    }
    for (JsonNode requirement : term.path("matchFields")) {
      if (!holds(requirement, node.path("metadata").path("name"))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode requirement, JsonNode value) {
    boolean present = !value.isMissingNode();
    return switch (requirement.path("operator").asText()) {
      case "In" -> present && lists(requirement, value);
      case "NotIn" -> !present || !lists(requirement, value);
      case "Exists" -> present;
      case "DoesNotExist" -> !present;
      case "Gt" -> present && value.asLong() > requirement.path("values").path(0).asLong();
      case "Lt" -> present && value.asLong() < requirement.path("values").path(0).asLong();
      default -> false;
    };
  }

  private static boolean lists(JsonNode requirement, JsonNode value) {
    for (JsonNode candidate : requirement.path("values")) {
      if (candidate.asText().equals(value.asText())) {
        return true;
      }
    }
    return false;
  }
}
