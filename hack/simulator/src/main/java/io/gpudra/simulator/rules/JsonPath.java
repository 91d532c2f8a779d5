package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JSON paths of printer columns: fields, indexes, {@code [*]} and equality filters. The first
 * match counts.
 */
record JsonPath(List<Step> steps) {
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([A-Za-z0-9_-]+)|\\[(\\d+|\\*)\\]|\\[\\?\\(@\\.([\\w]+)\\s*==\\s*[\"']([^\"']*)[\"']\\)\\]");

  /** A field, or where that is empty an index or a filter. */
  record Step(String field, String index, String filterField, String filterValue) {

    JsonNode from(JsonNode node) {
      if (!field.isEmpty()) {
        return node.path(field);
      }
      if (!index.isEmpty()) {
        return node.path(index.equals("*") ? 0 : Integer.parseInt(index));
      }
      for (JsonNode item : node) {
        if (item.path(filterField).asText().equals(filterValue)) {
          return item;
        }
      }
      return MissingNode.getInstance();
    }
  }

  static JsonPath parse(String text) {
    List<Step> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(text);
    int end = 0;
    while (matcher.lookingAt()) {
      steps.add(
          new Step(group(matcher, 1), group(matcher, 2), group(matcher, 3), group(matcher, 4)));
      end = matcher.end();
      matcher.region(end, text.length());
    }
    return end == text.length()
        ? new JsonPath(steps)
        : new JsonPath(List.of(new Step("?", "", "", "")));
  }

  JsonNode first(ObjectNode object) {
    JsonNode here = object;
    for (Step step : steps) {
      here = step.from(here);
    }
    return here;
  }

  private static String group(Matcher matcher, int index) {
    return matcher.group(index) == null ? "" : matcher.group(index);
  }
}
