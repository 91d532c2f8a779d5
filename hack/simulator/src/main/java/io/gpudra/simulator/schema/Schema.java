package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.api.Problems;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Validates an object against a structural schema, with the texts of a real 1.30. */
public final class Schema {
  private final Problems problems;

  private Schema(Problems problems) {
    this.problems = problems;
  }

  /** Finds what does not fit. */
  public static void check(ObjectNode object, JsonNode schema, Problems problems) {
    new Schema(problems).check("", object, schema);
  }

  private void check(String path, JsonNode value, JsonNode schema) {
    String type = schema.path("type").asText();
    if (!hasType(value, schema, type)) {
      // The real server shows what kind of value it found, not the value.
      String found = goType(value);
      String text = "Invalid value: \"%s\": %s in body must be of type %s: \"%s\"";
      problems.add(path, "FieldValueTypeInvalid", text.formatted(found, path, type, found));
      return;
    }
    List<JsonNode> allowed = ImmutableList.copyOf(schema.path("enum"));
    if (!allowed.isEmpty() && !allowed.contains(value)) {
      problems.unsupported(path, value, allowed);
    }
    if (value instanceof ObjectNode object) {
      checkObject(path, object, schema);
    } else if (value instanceof ArrayNode array) {
      checkArray(path, array, schema);
    } else if (value.isTextual()) {
      checkText(path, value, schema);
    } else if (value.isNumber()) {
      checkNumber(path, value, schema);
    }
  }

  private void checkObject(String path, ObjectNode object, JsonNode schema) {
    for (JsonNode name : schema.path("required")) {
      if (!object.hasNonNull(name.asText())) {
        problems.required(join(path, name.asText()), "");
      }
    }
    limit(path, object.size(), schema.path("maxProperties"));
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      JsonNode of = Shape.field(schema, field.getKey());
      if (!of.isMissingNode()) {
        check(join(path, field.getKey()), field.getValue(), of);
      }
    }
  }

  private void checkArray(String path, ArrayNode array, JsonNode schema) {
    limit(path, array.size(), schema.path("maxItems"));
    int least = schema.path("minItems").asInt();
    if (array.size() < least) {
      String detail = path + " in body should have at least " + least + " items";
      problems.invalid(path, array.size(), detail);
    }
    List<String> keys = Shape.listKeys(schema);
    Set<JsonNode> seen = new HashSet<>();
    for (int i = 0; i < array.size(); i++) {
      String item = path + "[" + i + "]";
      check(item, array.get(i), schema.path("items"));
      JsonNode identity = keys.isEmpty() ? array.get(i) : Shape.key(array.get(i), keys);
      if ((!keys.isEmpty() || Shape.isSet(schema)) && !seen.add(identity)) {
        problems.duplicate(item, identity);
      }
    }
  }

  private void limit(String path, int size, JsonNode limit) {
    if (limit.isNumber() && size > limit.asInt()) {
      String text = "Too many: " + size + ": must have at most " + limit + " items";
      problems.add(path, "FieldValueTooMany", text);
    }
  }

  private void checkText(String path, JsonNode value, JsonNode schema) {
    String text = value.asText();
    int length = text.codePointCount(0, text.length());
    if (schema.has("maxLength") && length > schema.path("maxLength").asInt()) {
      problems.tooLong(path, schema.path("maxLength").asInt());
    }
    int least = schema.path("minLength").asInt();
    if (length < least) {
      reject(path, value, "should be at least " + least + " chars long");
    }
    String pattern = schema.path("pattern").asText();
    if (!pattern.isEmpty() && !Pattern.compile(pattern).matcher(text).find()) {
      reject(path, value, "should match '" + pattern + "'");
    }
    if (schema.path("format").asText().equals("date-time") && !isTime(text)) {
      reject(path, value, "must be of type date-time: " + value);
    }
  }

  private void checkNumber(String path, JsonNode value, JsonNode schema) {
    JsonNode least = schema.path("minimum");
    if (least.isNumber() && value.asDouble() < least.asDouble()) {
      reject(path, value, "should be greater than or equal to " + least.asText());
    }
    JsonNode most = schema.path("maximum");
    if (most.isNumber() && value.asDouble() > most.asDouble()) {
      reject(path, value, "should be less than or equal to " + most.asText());
    }
  }

  private void reject(String path, JsonNode value, String rule) {
    problems.invalid(path, value, path + " in body " + rule);
  }

  private static boolean hasType(JsonNode value, JsonNode schema, String type) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return value.isIntegralNumber() || value.isTextual();
    }
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      default -> true;
    };
  }

  private static String goType(JsonNode value) {
    if (value.isNumber()) {
      return value.isIntegralNumber() ? "integer" : "number";
    }
    return value.getNodeType().name().toLowerCase(Locale.ROOT);
  }

  private static boolean isTime(String text) {
    try {
      OffsetDateTime.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
