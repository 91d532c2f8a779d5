package io.gpudra.simulator.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names for what differs from run to run, such as {@code <uid1>}; equal values have equal names.
 * Times of 2001 are the test's own and stay.
 */
final class Symbols {
  private static final Pattern TIME =
      Pattern.compile("\\b2(?!001-)\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
  private static final Pattern UID =
      Pattern.compile("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b");
  private static final Pattern AGE = Pattern.compile("(?m)\\b\\d+s\\s*$");
  private static final Pattern NUMBER = Pattern.compile("\\b\\d+\\b");

  private final Map<String, String> valueOf = new LinkedHashMap<>();
  private final Map<String, String> symbolOf = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  void define(String symbol, String value) {
    valueOf.put(symbol, value);
    symbolOf.put(value, symbol);
  }

  private String symbol(String kind, String value) {
    if (!symbolOf.containsKey(value)) {
      define("<" + kind + counts.merge(kind, 1, Integer::sum) + ">", value);
    }
    return symbolOf.getOrDefault(value, value);
  }

  /** The text with real values in place of symbols. */
  String expand(String text) {
    String expanded = text;
    for (Map.Entry<String, String> entry : valueOf.entrySet()) {
      expanded = expanded.replace(entry.getKey(), entry.getValue());
    }
    return expanded;
  }

  /** The answer with symbols in place of real values. */
  JsonNode abstracted(JsonNode answer) {
    if (answer instanceof ObjectNode object) {
      // The order of fields means nothing, and a null is as good as nothing.
      SortedMap<String, JsonNode> sorted = new TreeMap<>();
      object.properties().forEach(f -> sorted.put(abstracted(f.getKey()), field(object, f)));
      sorted.values().removeIf(JsonNode::isNull);
      ObjectNode result = Json.object();
      result.setAll(sorted);
      return result;
    }
    if (answer instanceof ArrayNode array) {
      ArrayNode result = Json.MAPPER.createArrayNode();
      array.forEach(item -> result.add(abstracted(item)));
      return result;
    }
    return answer.isTextual() ? TextNode.valueOf(abstracted(answer.asText())) : answer;
  }

  private JsonNode field(ObjectNode parent, Map.Entry<String, JsonNode> field) {
    String value = field.getValue().asText();
    if (field.getKey().equals("managedFields")) {
      return byWriter(abstracted(field.getValue()));
    }
    if (value.isEmpty() || !field.getValue().isTextual()) {
      return abstracted(field.getValue());
    }
    return switch (field.getKey()) {
      case "resourceVersion" -> TextNode.valueOf(revision(parent, value));
      case "continue" -> TextNode.valueOf(symbol("continue", value));
      case "name" -> TextNode.valueOf(name(parent.path("generateName").asText(), value));
      default -> TextNode.valueOf(abstracted(value));
    };
  }

  /** Their real order is by time, so it depends on whether a second went by between two writes. */
  private static JsonNode byWriter(JsonNode entries) {
    List<JsonNode> sorted = new ArrayList<>();
    entries.forEach(sorted::add);
    sorted.sort(Comparator.comparing(Symbols::writer));
    return Json.MAPPER.createArrayNode().addAll(sorted);
  }

  private static String writer(JsonNode entry) {
    return String.join(
        " ",
        entry.path("operation").asText(),
        entry.path("manager").asText(),
        entry.path("subresource").asText());
  }

  /** A list is as new as its server, which other clients write to as well. */
  private String revision(ObjectNode meta, String value) {
    boolean ofObject = meta.has("uid") || meta.has("creationTimestamp");
    if (!ofObject) {
      define("<list" + counts.merge("list", 1, Integer::sum) + ">", value);
      return "<list" + counts.get("list") + ">";
    }
    return symbol("rv", value);
  }

  private String name(String prefix, String value) {
    return prefix.isEmpty() ? abstracted(value) : symbol("name", value);
  }

  private String abstracted(String text) {
    String result = text.replace(valueOf.getOrDefault("$ns", text), "$ns");
    result = UID.matcher(result).replaceAll(match -> symbol("uid", match.group()));
    result =
        TIME.matcher(result).replaceAll(match -> match.group(1) == null ? "<time>" : "<microtime>");
    result = AGE.matcher(result).replaceAll("<age>");
    return result.matches("(?si).*resource ?version.*\\d.*")
        ? NUMBER.matcher(result).replaceAll(Matcher.quoteReplacement("<number>"))
        : result;
  }
}
