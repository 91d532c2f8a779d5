package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Why an object is refused, in the words of a real 1.30. Fields are such as {@code spec.count}. */
public final class Problems {
  private static final int DRIVER_LIMIT = 63;

  /** One cause of a Status; {@code reason} is such as {@code FieldValueInvalid}. */
  private record Problem(String field, String reason, String message) {}

  private static final ImmutableSet<String> BLOCKING =
      ImmutableSet.of(
          "FieldValueRequired",
          "FieldValueNotSupported",
          "FieldValueTooLong",
          "FieldValueTooMany",
          "FieldValueTypeInvalid");

  private final List<Problem> all = new ArrayList<>();

  /** What is wrong without being one of the common kinds. */
  public Problems add(String field, String reason, String message) {
    all.add(new Problem(field, reason, message));
    return this;
  }

  /** A value that breaks a rule; the value is shown. */
  public Problems invalid(String field, Object value, String detail) {
    String shown = value instanceof String ? "\"" + value + "\"" : value.toString();
    return add(field, "FieldValueInvalid", "Invalid value: " + shown + ": " + detail);
  }

  /** A change of something that may not change. */
  public Problems immutable(String field, JsonNode before, JsonNode now) {
    return before.equals(now) ? this : invalid(field, now, "field is immutable");
  }

  /** Something that must be there; {@code detail} may be empty. */
  public Problems required(String field, String detail) {
    String tail = detail.isEmpty() ? "" : ": " + detail;
    return add(field, "FieldValueRequired", "Required value" + tail);
  }

  /** Fields of a node that must have a text. */
  public void requiredFields(String field, JsonNode node, String... names) {
    for (String name : names) {
      if (Json.text(node, name).isEmpty()) {
        required(field + "." + name, "");
      }
    }
  }

  /** Something that must not be there. */
  public Problems forbidden(String field, String detail) {
    return add(field, "FieldValueForbidden", "Forbidden: " + detail);
  }

  /** The second of two equal entries. */
  public Problems duplicate(String field, JsonNode value) {
    String shown = value instanceof ObjectNode object ? goMap(object) : value.toString();
    return add(field, "FieldValueDuplicate", "Duplicate value: " + shown);
  }

  private static String goMap(ObjectNode object) {
    return object.properties().stream()
        .map(entry -> "\"%s\":%s".formatted(entry.getKey(), entry.getValue()))
        .sorted()
        .collect(Collectors.joining(", ", "map[string]interface {}{", "}"));
  }

  /** A text or list with more than {@code limit} elements. */
  public Problems tooLong(String field, int limit) {
    return add(field, "FieldValueTooLong", "Too long: may not be longer than " + limit);
  }

  /** A value outside an enumeration. */
  public Problems unsupported(String field, JsonNode value, List<JsonNode> supported) {
    String list = supported.stream().map(JsonNode::toString).collect(Collectors.joining(", "));
    String text = "Unsupported value: " + value + ": supported values: " + list;
    return add(field, "FieldValueNotSupported", text);
  }

  /** A name that must be a DNS subdomain. */
  public Problems subdomain(String field, String name) {
    return Naming.isSubdomain(name) ? this : invalid(field, name, Naming.SUBDOMAIN_RULE);
  }

  /** A driver name, which may have upper case letters; the empty one has two problems. */
  public Problems driver(String field, String name) {
    if (name.isEmpty()) {
      required(field, "");
    }
    if (name.length() > DRIVER_LIMIT) {
      String text = "Too long: must have at most " + DRIVER_LIMIT + " bytes";
      add(field, "FieldValueTooLong", text);
    }
    return subdomain(field, name.toLowerCase(Locale.ROOT));
  }

  /** Whether the object is so wrong that rules over its values make no sense. */
  public boolean areBlocking() {
    return all.stream().anyMatch(problem -> BLOCKING.contains(problem.reason()));
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** All of them once, as the message of a Status has it. */
  String text() {
    List<String> texts =
        all.stream().map(one -> one.field() + ": " + one.message()).distinct().toList();
    return texts.size() == 1 ? texts.get(0) : "[" + String.join(", ", texts) + "]";
  }

  void addCauses(ObjectNode details) {
    all.forEach(one -> Refusal.cause(details, one.reason(), one.message(), one.field()));
  }
}
