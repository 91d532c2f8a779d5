package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;

/**
 * One reason why an object is refused, as a cause of a Status shows it.
 *
 * @param field such as {@code spec.count}
 * @param reason such as {@code FieldValueInvalid}
 * @param message such as {@code Required value}
 */
public record Problem(String field, String reason, String message) {
  private static final String IMMUTABLE = "field is immutable";

  /** A value that breaks a rule; the value is shown. */
  public static Problem invalid(String field, JsonNode value, String detail) {
    return new Problem(field, "FieldValueInvalid", "Invalid value: " + value + ": " + detail);
  }

  /** Same for a text. */
  public static Problem invalid(String field, String value, String detail) {
    return invalid(field, TextNode.valueOf(value), detail);
  }

  /** Same for a number. */
  public static Problem invalid(String field, int value, String detail) {
    return invalid(field, IntNode.valueOf(value), detail);
  }

  /** A change of something that may not change. */
  public static Problem immutable(String field, JsonNode value) {
    return invalid(field, value, IMMUTABLE);
  }

  /** Something that must be there; {@code detail} may be empty. */
  public static Problem required(String field, String detail) {
    String tail = detail.isEmpty() ? "" : ": " + detail;
    return new Problem(field, "FieldValueRequired", "Required value" + tail);
  }

  /** Something that must not be there. */
  public static Problem forbidden(String field, String detail) {
    return new Problem(field, "FieldValueForbidden", "Forbidden: " + detail);
  }

  /** The second of two equal entries. */
  public static Problem duplicate(String field, JsonNode value) {
    return new Problem(field, "FieldValueDuplicate", "Duplicate value: " + value);
  }

  /** A text or list with more than {@code limit} elements. */
  public static Problem tooLong(String field, String detail) {
    return new Problem(field, "FieldValueTooLong", "Too long: " + detail);
  }

  /** A list of a custom resource with too many items. */
  public static Problem tooMany(String field, int actual, int limit) {
    String text = "Too many: " + actual + ": must have at most " + limit + " items";
    return new Problem(field, "FieldValueTooMany", text);
  }

  /** A value outside an enumeration; {@code supported} is the quoted, comma separated list. */
  public static Problem unsupported(String field, JsonNode value, String supported) {
    String text = "Unsupported value: " + value + ": supported values: " + supported;
    return new Problem(field, "FieldValueNotSupported", text);
  }

  /** The problem as one text, as it appears in the message of a Status. */
  @Override
  public String toString() {
    return field + ": " + message;
  }
}
