package io.gpudra.controller.lint.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.text.UtcTimes;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Validates a value with a structural schema, with the messages of the 1.30 API server. A null
 * counts as missing. Lists are checked up to their maximum length.
 */
record StructuralCheck(ObjectProblems objectProblems) {

  /** The names of claims in entries of pods, which later versions have beside {@code name}. */
  private static final ImmutableSet<String> LATER_NAMES =
      ImmutableSet.of("resourceClaimName", "resourceClaimTemplateName");

  /** A field of drafts of the API; labels of pods have its place. */
  private static final String GANG_SIZE = "gangSize";

  private static final ImmutableSet<String> NOT_OURS = ImmutableSet.of("metadata", "status");

  void check(String path, JsonNode value, JsonNode schema) {
    String type = schema.path("type").asText();
    if (!hasType(value, schema)) {
      String found = typeOf(value);
      objectProblems.addType(
          path,
          "Invalid value: \"%s\": %s in body must be of type %s: \"%s\""
              .formatted(found, path, type, found));
    } else if (value.isObject()) {
      checkObject(path, value, schema);
    } else if (value.isArray()) {
      checkArray(path, value, schema);
    } else if (value.isTextual()) {
      checkText(path, value.asText(), schema);
    } else if (value.isNumber()) {
      checkNumber(path, value, schema);
    }
  }

  private static boolean hasType(JsonNode value, JsonNode schema) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return value.isIntegralNumber() || value.isTextual();
    }
    return switch (schema.path("type").asText()) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "boolean" -> value.isBoolean();
      default -> true;
    };
  }

  private static String typeOf(JsonNode value) {
    return value.isIntegralNumber()
        ? "integer"
        : value.getNodeType().name().toLowerCase(Locale.ROOT);
  }

  private void checkObject(String path, JsonNode object, JsonNode schema) {
    for (JsonNode name : schema.path("required")) {
      if (!object.hasNonNull(name.asText())) {
        objectProblems.add(join(path, name.asText()), "Required value");
      }
    }
    checkMost(path, object.size(), schema.path("maxProperties"));
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!(path.isEmpty() && NOT_OURS.contains(field.getKey()))) {
        checkField(path, field, schema);
      }
    }
  }

  private void checkField(String path, Map.Entry<String, JsonNode> field, JsonNode schema) {
    String at = join(path, field.getKey());
    JsonNode of = ManifestSchemas.field(schema, field.getKey());
    if (of.isMissingNode() && !ManifestSchemas.isOpen(schema)) {
      objectProblems.add(() -> unknown(at, field.getKey(), schema));
    } else if (!of.isMissingNode() && !field.getValue().isNull()) {
      check(at, field.getValue(), of);
    }
  }

  private static ObjectProblem unknown(String path, String name, JsonNode schema) {
    String hint =
        name.equals(GANG_SIZE)
            ? "no such field; see docs/user/groups.md"
            : hint(name, schema.path("properties"));
    return new ObjectProblem(
        path,
        "strict decoding error: unknown field \"%s\"%s%s"
            .formatted(
                path,
                hint.isEmpty() ? "" : ", " + hint,
                LATER_NAMES.contains(name) ? ResourceApi.CONVERTED : ""));
  }

  /** Also suggests a field of the same name one level below. */
  private static String hint(String name, JsonNode properties) {
    List<String> names = ImmutableList.copyOf(properties.fieldNames());
    boolean near = NameSuggestion.nearest(name, names).isPresent();
    return names.stream()
        .filter(inner -> !near && properties.path(inner).path("properties").has(name))
        .findFirst()
        .map(inner -> "did you mean \"%s.%s\"?".formatted(inner, name))
        .orElseGet(() -> NameSuggestion.hint(name, names));
  }

  private void checkArray(String path, JsonNode array, JsonNode schema) {
    int least = schema.path("minItems").asInt();
    if (array.size() < least) {
      invalid(path, array.size(), "should have at least %d items".formatted(least));
    }
    checkMost(path, array.size(), schema.path("maxItems"));
    int looked = schema.path("maxItems").asInt(array.size());
    Set<JsonNode> seen = new HashSet<>();
    for (int i = 0; i < Math.min(looked, array.size()); i++) {
      String at = "%s[%d]".formatted(path, i);
      JsonNode item = array.get(i);
      check(at, item, schema.path("items"));
      identity(item, schema)
          .filter(one -> !seen.add(one))
          .ifPresent(one -> objectProblems.add(at, "Duplicate value: " + shown(one)));
    }
  }

  /** The part of an entry that must be unique. */
  private static Optional<JsonNode> identity(JsonNode item, JsonNode schema) {
    return switch (schema.path("x-kubernetes-list-type").asText()) {
      case "set" -> Optional.of(item);
      case "map" -> Optional.of(item).filter(JsonNode::isObject).map(one -> keys(one, schema));
      default -> Optional.empty();
    };
  }

  private static JsonNode keys(JsonNode item, JsonNode schema) {
    ObjectNode keys = JsonNodeFactory.instance.objectNode();
    JsonNode fields = schema.path("items").path("properties");
    Streams.stream(schema.path("x-kubernetes-list-map-keys"))
        .map(JsonNode::asText)
        .sorted()
        .forEach(
            name ->
                keys.set(
                    name,
                    item.hasNonNull(name) ? item.path(name) : fields.path(name).path("default")));
    return keys;
  }

  private static String shown(JsonNode identity) {
    return identity.isObject()
        ? identity.properties().stream()
            .filter(key -> !key.getValue().isMissingNode())
            .map(key -> "\"%s\":%s".formatted(key.getKey(), shortened(key.getValue().toString())))
            .collect(Collectors.joining(", ", "map[string]interface {}{", "}"))
        : shortened(identity.toString());
  }

  private void checkMost(String path, int size, JsonNode most) {
    if (most.isNumber() && size > most.asInt()) {
      objectProblems.add(
          path, "Too many: %d: must have at most %d items".formatted(size, most.asInt()));
    }
  }

  private void checkText(String path, String text, JsonNode schema) {
    List<JsonNode> allowed = ImmutableList.copyOf(schema.path("enum"));
    if (!allowed.isEmpty() && allowed.stream().noneMatch(one -> one.asText().equals(text))) {
      unsupported(path, text, allowed);
    }
    int length = text.codePointCount(0, text.length());
    int most = schema.path("maxLength").asInt(Integer.MAX_VALUE);
    int least = schema.path("minLength").asInt();
    if (length > most) {
      objectProblems.add(path, "Too long: may not be longer than " + most);
    } else if (length < least) {
      invalid(path, quoted(text), "should be at least %d chars long".formatted(least));
    } else {
      checkForm(path, text, schema);
    }
  }

  /** Does not match text that is too long: a pattern may need stack for each character. */
  private void checkForm(String path, String text, JsonNode schema) {
    String pattern = schema.path("pattern").asText();
    if (!pattern.isEmpty() && !Pattern.compile(pattern).matcher(text).find()) {
      invalid(path, quoted(text), "should match '%s'".formatted(pattern));
    }
    if (schema.path("format").asText().equals("date-time")
        && UtcTimes.withAnyOffset(text).isEmpty()) {
      invalid(path, quoted(text), "must be of type date-time: " + quoted(text));
    }
  }

  private void unsupported(String path, String text, List<JsonNode> allowed) {
    objectProblems.add(
        path,
        allowed.stream()
            .map(JsonNode::toString)
            .collect(
                Collectors.joining(
                    ", ",
                    "Unsupported value: %s: supported values: ".formatted(quoted(text)),
                    "")));
  }

  private void checkNumber(String path, JsonNode value, JsonNode schema) {
    JsonNode least = schema.path("minimum");
    JsonNode most = schema.path("maximum");
    if (least.isNumber() && value.asDouble() < least.asDouble()) {
      invalid(path, value, "should be greater than or equal to " + least.asText());
    } else if (most.isNumber() && value.asDouble() > most.asDouble()) {
      invalid(path, value, "should be less than or equal to " + most.asText());
    }
  }

  private void invalid(String path, Object value, String rule) {
    objectProblems.add(path, "Invalid value: %s: %s in body %s".formatted(value, path, rule));
  }

  private static String quoted(String text) {
    return '"' + shortened(text) + '"';
  }

  private static String shortened(String text) {
    return ProblemList.shortened(text);
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? shortened(name) : path + "." + shortened(name);
  }
}
