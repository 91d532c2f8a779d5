package io.gpudra.controller.doctor;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** Reads one object, up to a limit in memory; the rest is skipped. Managed fields are left out. */
final class ObjectTree {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String MANAGED = "managedFields";

  /** The overhead of a value or a name in a tree. */
  private static final long VALUE = 100;

  private static final long CHARACTER = 2;

  /** No kind has a deeper field. */
  private static final int MAX_DEPTH = 100;

  private final JsonParser in;
  private final long most;
  private long bytes;
  private boolean tooLarge;

  /**
   * Reads the value at the current token.
   *
   * @param most estimated bytes in memory
   */
  ObjectTree(JsonParser in, long most) {
    this.in = in;
    this.most = most;
  }

  /** The object, or its beginning if it is too large. */
  JsonNode read() throws IOException {
    return value(0);
  }

  boolean isTooLarge() {
    return tooLarge;
  }

  /** The estimated bytes in memory. */
  long bytes() {
    return bytes;
  }

  private void charge(int characters) {
    bytes += VALUE + CHARACTER * characters;
    tooLarge |= bytes > most;
  }

  private JsonNode value(int depth) throws IOException {
    tooLarge |= depth > MAX_DEPTH;
    charge(in.currentToken().isScalarValue() ? in.getTextLength() : 0);
    if (tooLarge) {
      in.skipChildren();
      return NODES.nullNode();
    }
    return switch (in.currentToken()) {
      case START_OBJECT -> object(depth);
      case START_ARRAY -> array(depth);
      case VALUE_STRING -> NODES.textNode(in.getText());
      case VALUE_NUMBER_INT -> NODES.numberNode(in.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(in.getDoubleValue());
      case VALUE_TRUE, VALUE_FALSE -> NODES.booleanNode(in.getBooleanValue());
      default -> NODES.nullNode();
    };
  }

  private ObjectNode object(int depth) throws IOException {
    ObjectNode object = NODES.objectNode();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      in.nextToken();
      if (tooLarge || (depth == 1 && name.equals(MANAGED))) {
        in.skipChildren();
      } else {
        charge(name.length());
        object.set(name, value(depth + 1));
      }
    }
    return object;
  }

  private ArrayNode array(int depth) throws IOException {
    ArrayNode array = NODES.arrayNode();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      if (tooLarge) {
        in.skipChildren();
      } else {
        array.add(value(depth + 1));
      }
    }
    return array;
  }
}
