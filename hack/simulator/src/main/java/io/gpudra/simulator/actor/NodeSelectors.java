package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Iterables;

/** A core NodeSelector: terms are alternatives, the requirements of a term must all hold. */
public final class NodeSelectors {
  private NodeSelectors() {}

  /** An absent selector admits every node; a term without requirements admits none. */
  public static boolean matches(JsonNode selector, JsonNode node) {
    if (selector.isMissingNode() || selector.isNull()) {
      return true;
    }
    return Iterables.any(selector.path("nodeSelectorTerms"), term -> termMatches(term, node));
  }

  private static boolean termMatches(JsonNode term, JsonNode node) {
    JsonNode labels = node.path("metadata").path("labels");
    JsonNode name = node.path("metadata").path("name");
    JsonNode expressions = term.path("matchExpressions");
    JsonNode fields = term.path("matchFields");
    return !(expressions.isEmpty() && fields.isEmpty())
        && Iterables.all(expressions, one -> holds(one, labels.path(one.path("key").asText())))
        && Iterables.all(fields, one -> holds(one, name));
  }

  private static boolean holds(JsonNode requirement, JsonNode value) {
    boolean present = !value.isMissingNode();
    JsonNode values = requirement.path("values");
    boolean listed = Iterables.any(values, one -> one.asText().equals(value.asText()));
    return switch (requirement.path("operator").asText()) {
      case "In" -> present && listed;
      case "NotIn" -> !present || !listed;
      case "Exists" -> present;
      case "DoesNotExist" -> !present;
      case "Gt" -> present && value.asLong() > values.path(0).asLong();
      case "Lt" -> present && value.asLong() < values.path(0).asLong();
      default -> false;
    };
  }
}
