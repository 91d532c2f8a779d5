package io.gpudra.controller.lint.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Ints;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A value and its place in the text. The place of a field is that of its name.
 *
 * @param span the part of the text
 * @param size number of values in it; a repeated alias counts each time, and a long string counts
 *     once more for every {@value #LONG} characters
 */
public record LocatedValue(
    JsonNode value,
    TextPosition place,
    TextSpan span,
    ImmutableMap<String, LocatedValue> fields,
    ImmutableList<LocatedValue> items,
    int size) {

  private static final int LONG = 32;

  static LocatedValue scalar(JsonNode value, TextPosition textPosition, TextSpan span) {
    int size = 1 + value.asText().length() / LONG;
    return new LocatedValue(value, textPosition, span, ImmutableMap.of(), ImmutableList.of(), size);
  }

  static LocatedValue mapping(
      Map<String, LocatedValue> fields, TextPosition textPosition, TextSpan span) {
    ObjectNode value = JsonNodeFactory.instance.objectNode();
    fields.forEach((name, field) -> value.set(name, field.value));
    int size =
        1
            + fields.values().stream().mapToInt(LocatedValue::size).sum()
            + fields.keySet().stream().mapToInt(name -> name.length() / LONG).sum();
    return new LocatedValue(
        value, textPosition, span, ImmutableMap.copyOf(fields), ImmutableList.of(), size);
  }

  static LocatedValue sequence(List<LocatedValue> items, TextPosition textPosition, TextSpan span) {
    ArrayNode value = JsonNodeFactory.instance.arrayNode();
    items.forEach(item -> value.add(item.value));
    int size = 1 + items.stream().mapToInt(LocatedValue::size).sum();
    return new LocatedValue(
        value, textPosition, span, ImmutableMap.of(), ImmutableList.copyOf(items), size);
  }

  /** The value as the field whose name begins here. */
  LocatedValue named(TextPosition other, int start) {
    return new LocatedValue(value, other, span.from(start), fields, items, size);
  }

  /** The field of this name. */
  public Optional<LocatedValue> field(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** The place of the value at the path, or of the nearest enclosing value. */
  public TextPosition at(String path) {
    LocatedValue here = this;
    String rest = path;
    while (!rest.isEmpty()) {
      Optional<Step> step = here.step(rest);
      if (step.isEmpty()) {
        return here.place;
      }
      here = step.get().to;
      rest = step.get().rest;
    }
    return here.place;
  }

  private record Step(LocatedValue to, String rest) {}

  private Optional<Step> step(String path) {
    return path.startsWith("[") ? entry(path) : longest(path);
  }

  /** {@code [3]} of a list, or {@code [key]} of a map. */
  private Optional<Step> entry(String path) {
    int end = path.indexOf(']');
    String key = end < 0 ? "" : path.substring(1, end);
    Integer index = Ints.tryParse(key);
    LocatedValue item =
        index != null && index >= 0 && index < items.size() ? items.get(index) : fields.get(key);
    return step(item, path, end + 1);
  }

  /** Names may contain dots, so the longest name is tried first. */
  private Optional<Step> longest(String path) {
    for (int end = path.length(); end > 0; end = separator(path, end)) {
      LocatedValue field = fields.get(path.substring(0, end));
      if (field != null) {
        return step(field, path, end);
      }
    }
    return Optional.empty();
  }

  private static int separator(String path, int before) {
    return Math.max(path.lastIndexOf('.', before - 1), path.lastIndexOf('[', before - 1));
  }

  private static Optional<Step> step(@Nullable LocatedValue to, String path, int end) {
    String rest = path.substring(end);
    return Optional.ofNullable(to)
        .map(found -> new Step(found, rest.startsWith(".") ? rest.substring(1) : rest));
  }
}
