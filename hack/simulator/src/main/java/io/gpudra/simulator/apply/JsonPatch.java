package io.gpudra.simulator.apply;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;

/** RFC 6902. */
public final class JsonPatch {
  private JsonPatch() {}

  /**
   * Applies the operations in order to the object itself.
   *
   * @return why one could not be done; empty when all were
   */
  public static String apply(ObjectNode object, JsonNode operations) {
    String problem = "";
    for (JsonNode operation : operations) {
      problem = problem.isEmpty() ? apply(object, operation, Json.text(operation, "op")) : problem;
    }
    return problem;
  }

  private static String apply(ObjectNode object, JsonNode operation, String op) {
    JsonPointer path = JsonPointer.compile(operation.path("path").asText());
    JsonPointer from = JsonPointer.compile(operation.path("from").asText());
    return switch (op) {
      case "add" -> add(object, path, operation.path("value").deepCopy());
      case "replace" ->
          object.at(path).isMissingNode()
              ? missing("replace", "key: " + path)
              : replace(object, path, operation.path("value").deepCopy());
      case "remove" -> remove(object, path);
      case "test" ->
          operation.path("value").equals(object.at(path))
              ? ""
              : "testing path " + path + " failed: test failed";
      case "copy" -> add(object, path, object.at(from).deepCopy());
      case "move" -> {
        JsonNode value = object.at(from).deepCopy();
        String problem = remove(object, from);
        yield problem.isEmpty() ? add(object, path, value) : problem;
      }
      default -> "Unexpected kind: " + op;
    };
  }

  private static String add(ObjectNode object, JsonPointer path, JsonNode value) {
    JsonNode parent = object.at(path.head());
    String name = path.last().getMatchingProperty();
    if (parent instanceof ObjectNode to) {
      to.set(name, value);
    } else if (parent instanceof ArrayNode to && name.equals("-")) {
      to.add(value);
    } else if (parent instanceof ArrayNode to && isIndex(path, to.size())) {
      to.insert(path.last().getMatchingIndex(), value);
    } else {
      return missing("add", "path: \"" + path + "\"");
    }
    return "";
  }

  private static boolean isIndex(JsonPointer path, int limit) {
    int index = path.last().getMatchingIndex();
    return index >= 0 && index <= limit;
  }

  private static String replace(ObjectNode object, JsonPointer path, JsonNode value) {
    if (object.at(path.head()) instanceof ArrayNode array) {
      array.set(path.last().getMatchingIndex(), value);
      return "";
    }
    return add(object, path, value);
  }

  private static String remove(ObjectNode object, JsonPointer path) {
    if (object.at(path).isMissingNode()) {
      return missing("remove", "path: \"" + path + "\"");
    }
    if (object.at(path.head()) instanceof ArrayNode array) {
      array.remove(path.last().getMatchingIndex());
    } else {
      ((ObjectNode) object.at(path.head())).remove(path.last().getMatchingProperty());
    }
    return "";
  }

  private static String missing(String operation, String what) {
    return operation + " operation does not apply: doc is missing " + what + ": missing value";
  }
}
