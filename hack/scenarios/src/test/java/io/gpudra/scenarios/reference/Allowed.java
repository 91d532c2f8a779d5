package io.gpudra.scenarios.reference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What a schema says of a value beside what it is for. */
final class Allowed {

  private Allowed() {}

  /** Such as {@code list of string}. */
  static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    if (type.isArray()) {
      return texts(type).collect(Collectors.joining(" or "));
    }
    return switch (type.asText()) {
      case "array" -> schema.has("items") ? "list of " + type(schema.path("items")) : "list";
      case "object" ->
          schema.path("additionalProperties").isObject()
              ? "map of " + type(schema.path("additionalProperties"))
              : "object";
      case "" -> untyped(schema);
      default -> schema.path("format").asText().equals("date-time") ? "time" : type.asText();
    };
  }

  private static String untyped(JsonNode schema) {
    if (schema.has("x-kubernetes-int-or-string")) {
      return "integer or string";
    }
    return schema.has("enum") ? "string" : "any";
  }

  /** Which values the schema lets pass, as far as it says that without rules. */
  static String values(JsonNode schema) {
    Stream<String> own =
        Stream.of(
            Markdown.codes(texts(schema.path("enum")).toList()),
            Markdown.code(schema.path("pattern").asText()),
            range(schema, "minimum", "maximum", ""),
            range(schema, "minLength", "maxLength", " characters"),
            range(schema, "minItems", "maxItems", " entries"),
            range(schema, "", "maxProperties", " entries"));
    Stream<String> ofEntries =
        entry(schema).filter(entry -> !entry.has("properties")).map(Allowed::values).stream();
    return Stream.concat(own, ofEntries.filter(text -> !text.isEmpty()).map("each "::concat))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("; "));
  }

  private static String range(JsonNode schema, String least, String most, String unit) {
    String from = schema.path(least).asText();
    String to = schema.path(most).asText();
    return Stream.of(from.isEmpty() ? "" : from + " or more", to.isEmpty() ? "" : "at most " + to)
        .filter(text -> !text.isEmpty())
        .reduce((more, less) -> from + " to " + to)
        .map(text -> text + unit)
        .orElse("");
  }

  private static Stream<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false)
        .map(one -> one.asText().isEmpty() ? "\"\"" : one.asText());
  }

  /** What is said of every entry of a list or map. */
  static Optional<JsonNode> entry(JsonNode schema) {
    return Stream.of(schema.path("items"), schema.path("additionalProperties"))
        .filter(JsonNode::isObject)
        .findFirst();
  }
}
