package io.gpudra.controller.lint.text;

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
 * @param size number of values in it; a repeated alias counts each time, and a long string counts
 *     once more for every {@value #LONG} characters
 */
public record Located(
    JsonNode value,
    Place place,
    ImmutableMap<String, Located> fields,
    ImmutableList<Located> items,
    int size) {

  private static final int LONG = 32;

  static Located scalar(JsonNode value, Place place) {
    int size = 1 + value.asText().length() / LONG;
    return new Located(value, place, ImmutableMap.of(), ImmutableList.of(), size);
  }

  static Located mapping(Map<String, Located> fields, Place place) {
    ObjectNode value = JsonNodeFactory.instance.objectNode();
    fields.forEach((name, field) -> value.set(name, field.value));
    int size =
        1
            + fields.values().stream().mapToInt(Located::size).sum()
            + fields.keySet().stream().mapToInt(name -> name.length() / LONG).sum();
    return new Located(value, place, ImmutableMap.copyOf(fields), ImmutableList.of(), size);
  }

  static Located sequence(List<Located> items, Place place) {
    ArrayNode value = JsonNodeFactory.instance.arrayNode();
    items.forEach(item -> value.add(item.value));
    int size = 1 + items.stream().mapToInt(Located::size).sum();
    return new Located(value, place, ImmutableMap.of(), ImmutableList.copyOf(items), size);
  }

  Located movedTo(Place other) {
    return new Located(value, other, fields, items, size);
  }

  /** The place of the value at the path, or of the nearest enclosing value. */
  public Place at(String path) {
    Located here = this;
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

  private record Step(Located to, String rest) {}

  private Optional<Step> step(String path) {
    return path.startsWith("[") ? entry(path) : field(path);
  }

  /** {@code [3]} of a list, or {@code [key]} of a map. */
  private Optional<Step> entry(String path) {
    int end = path.indexOf(']');
    String key = end < 0 ? "" : path.substring(1, end);
    Integer index = Ints.tryParse(key);
    Located item =
        index != null && index >= 0 && index < items.size() ? items.get(index) : fields.get(key);
    return step(item, path, end + 1);
  }

  /** Names may contain dots, so the longest name is tried first. */
  private Optional<Step> field(String path) {
    for (int end = path.length(); end > 0; end = separator(path, end)) {
      Located field = fields.get(path.substring(0, end));
      if (field != null) {
        return step(field, path, end);
      }
    }
    return Optional.empty();
  }

  private static int separator(String path, int before) {
    return Math.max(path.lastIndexOf('.', before - 1), path.lastIndexOf('[', before - 1));
  }

  private static Optional<Step> step(@Nullable Located to, String path, int end) {
    String rest = path.substring(end);
    return Optional.ofNullable(to)
        .map(found -> new Step(found, rest.startsWith(".") ? rest.substring(1) : rest));
  }
}
