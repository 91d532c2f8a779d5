package io.gpudra.simulator.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.schema.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;

/** Server-side apply: merges a manager's configuration into an object by field ownership. */
public record ServerSideApply(JsonNode schema, Managers.Writer writer) {
  /** A field that another manager owns with another value. */
  public record Conflict(String manager, String field) {}

  /**
   * The result.
   *
   * @param object the new object; invalid if there are conflicts
   */
  public record Result(ObjectNode object, List<Conflict> conflicts) {}

  /**
   * Applies a configuration.
   *
   * @param live empty to create the object
   * @param force take fields from other managers instead of reporting conflicts
   */
  public Result apply(Optional<ObjectNode> live, ObjectNode config, boolean force) {
    ObjectNode before = live.orElseGet(Json::object);
    List<Managed> entries = managers(live);
    Managed own = own(config, writer.time());
    List<Conflict> conflicts = new ArrayList<>();
    NavigableMap<List<String>, JsonNode> wanted = FieldSet.of(config, schema);
    NavigableMap<List<String>, JsonNode> there = FieldSet.of(before, schema);
    for (Managed entry : entries) {
      if (!entry.isSameWriter(own)) {
        dispute(entry, own, wanted, there).forEach(f -> conflicts.add(conflict(entry, f, force)));
      }
    }
    conflicts.removeIf(conflict -> force);
    ObjectNode next = merge(before, config, schema);
    dropAbandoned(next, entries, own);
    boolean same =
        entries.stream().anyMatch(e -> e.isSameWriter(own) && e.fields().equals(own.fields()));
    boolean changed = !withoutManagers(next).equals(withoutManagers(before));
    if (!same || changed) {
      String earlier =
          entries.stream().filter(own::isSameWriter).map(Managed::time).findFirst().orElse("");
      entries.removeIf(own::isSameWriter);
      entries.add(changed ? own : own(config, earlier));
      Managed.write(entries, next);
    }
    return new Result(next, conflicts);
  }

  /** Why the entries of a keyed list of the object cannot be told apart; empty when they can. */
  public static String untyped(ObjectNode config, JsonNode schema) {
    return untyped("", config, schema);
  }

  private static String untyped(String path, JsonNode value, JsonNode schema) {
    String problem = "";
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        JsonNode of = Shape.field(schema, field.getKey());
        String found = untyped(path + "." + field.getKey(), field.getValue(), of);
        problem = problem.isEmpty() ? found : problem;
      }
    } else if (value instanceof ArrayNode items) {
      problem = untypedItems(path, items, Shape.listKeys(schema));
    }
    return problem;
  }

  private static String untypedItems(String path, ArrayNode items, List<String> keys) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < items.size() && !keys.isEmpty(); i++) {
      JsonNode item = items.get(i);
      if (!item.has(keys.get(0))) {
        String text =
            "%s: element %d: associative list with keys has an element that omits key field \"%s\" (and doesn't have"
                + " default value)";
        return text.formatted(path, i, keys.get(0));
      }
      if (!seen.add(FieldSet.step(item, keys))) {
        return path
            + ": duplicate entries for key "
            + FieldSet.text(List.of(FieldSet.step(item, keys)));
      }
    }
    return "";
  }

  private static ObjectNode withoutManagers(ObjectNode object) {
    ObjectNode copy = object.deepCopy();
    Json.meta(copy).remove("managedFields");
    return copy;
  }

  private static Conflict conflict(Managed entry, List<String> field, boolean force) {
    if (force) {
      entry.fields().remove(field);
    }
    return new Conflict(entry.text(), FieldSet.text(field));
  }

  private List<Managed> managers(Optional<ObjectNode> live) {
    List<Managed> entries = new ArrayList<>();
    if (live.isPresent()) {
      entries.addAll(Managed.read(live.get()));
      if (entries.isEmpty()) {
        entries.add(beforeFirstApply(live.get()));
      }
    }
    return entries;
  }

  private Managed own(ObjectNode config, String time) {
    Managers.Writer own = new Managers.Writer(writer.manager(), writer.subresource(), time);
    return Managed.of(own, "Apply", config, FieldSet.of(config, schema));
  }

  private Managed beforeFirstApply(ObjectNode live) {
    Managers.Writer earlier =
        new Managers.Writer("before-first-apply", writer.subresource(), writer.time());
    return Managed.of(earlier, "Update", live, FieldSet.withStructures(live, schema));
  }

  private static List<List<String>> dispute(
      Managed other,
      Managed own,
      Map<List<String>, JsonNode> wanted,
      Map<List<String>, JsonNode> there) {
    List<List<String>> fields = new ArrayList<>(own.fields());
    fields.retainAll(other.fields());
    fields.removeIf(
        field -> wanted.get(field) == null || wanted.get(field).equals(there.get(field)));
    return fields;
  }

  private static ObjectNode merge(ObjectNode live, ObjectNode config, JsonNode schema) {
    ObjectNode merged = live.deepCopy();
    for (Map.Entry<String, JsonNode> field : config.properties()) {
      JsonNode of = Shape.field(schema, field.getKey());
      merged.set(field.getKey(), mergeAny(live.path(field.getKey()), field.getValue(), of));
    }
    return merged;
  }

  private static JsonNode mergeAny(JsonNode live, JsonNode config, JsonNode schema) {
    if (live instanceof ObjectNode to
        && config instanceof ObjectNode from
        && !Shape.isAtomic(schema)) {
      return merge(to, from, schema);
    }
    if (live instanceof ArrayNode to
        && config instanceof ArrayNode from
        && FieldSet.isGranular(schema)) {
      return mergeItems(to, from, schema);
    }
    return config.deepCopy();
  }

  private static ArrayNode mergeItems(ArrayNode live, ArrayNode config, JsonNode schema) {
    List<String> keys = Shape.listKeys(schema);
    ArrayNode merged = live.deepCopy();
    for (JsonNode item : config) {
      int at = FieldSet.indexOf(merged, FieldSet.step(item, keys), keys);
      if (at < 0) {
        merged.add(item.deepCopy());
      } else {
        merged.set(at, mergeAny(merged.get(at), item, schema.path("items")));
      }
    }
    return merged;
  }

  /** Removes fields that only this manager owned and no longer applies. */
  private void dropAbandoned(ObjectNode next, List<Managed> entries, Managed own) {
    List<List<String>> doomed = new ArrayList<>();
    entries.stream().filter(own::isSameWriter).forEach(entry -> doomed.addAll(entry.fields()));
    doomed.removeAll(own.fields());
    // Entries go before their fields: without its key an entry could no longer be found.
    doomed.sort(Comparator.comparingInt(field -> field.size()));
    for (List<String> field : doomed) {
      boolean held = isWithin(own, field);
      for (Managed entry : entries) {
        held |= !entry.isSameWriter(own) && isWithin(entry, field);
      }
      if (!held) {
        remove(next, field, schema);
      }
    }
  }

  /** Whether the entry owns the field or anything below it. */
  private static boolean isWithin(Managed entry, List<String> field) {
    NavigableSet<List<String>> from = entry.fields().tailSet(field, true);
    return !from.isEmpty()
        && from.first().size() >= field.size()
        && from.first().subList(0, field.size()).equals(field);
  }

  private static void remove(JsonNode node, List<String> field, JsonNode of) {
    String step = field.get(0);
    List<String> rest = field.subList(1, field.size());
    if (node instanceof ObjectNode object) {
      String name = step.substring(2);
      if (rest.isEmpty()) {
        object.remove(name);
      } else if (object.has(name)) {
        remove(object.get(name), rest, Shape.field(of, name));
        dropEmpty(object, name);
      }
    } else if (node instanceof ArrayNode array) {
      removeItem(array, field, of);
    }
  }

  private static void removeItem(ArrayNode array, List<String> field, JsonNode of) {
    int at = FieldSet.indexOf(array, field.get(0), Shape.listKeys(of));
    if (at >= 0 && field.size() == 1) {
      array.remove(at);
    } else if (at >= 0) {
      remove(array.get(at), field.subList(1, field.size()), of.path("items"));
    }
  }

  private static void dropEmpty(ObjectNode object, String name) {
    if (object.get(name).isEmpty()) {
      object.remove(name);
    }
  }
}
