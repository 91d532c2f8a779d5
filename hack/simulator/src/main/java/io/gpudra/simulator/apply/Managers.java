package io.gpudra.simulator.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Json;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;

/** Keeps {@code metadata.managedFields} true for writes that are not an apply. */
public final class Managers {
  private static final ImmutableSet<String> UNOWNED =
      ImmutableSet.of(
          "f:name",
          "f:namespace",
          "f:uid",
          "f:creationTimestamp",
          "f:deletionTimestamp",
          "f:deletionGracePeriodSeconds",
          "f:generation",
          "f:resourceVersion",
          "f:selfLink",
          "f:managedFields");

  private Managers() {}

  /**
   * Who writes.
   *
   * @param manager empty for a writer that is not tracked
   * @param subresource empty for the main resource
   * @param time RFC 3339
   */
  public record Writer(String manager, String subresource, String time) {

    /** Those of the fields that can have an owner and that this writer can write. */
    NavigableMap<List<String>, JsonNode> owned(NavigableMap<List<String>, JsonNode> fields) {
      String reset = subresource.isEmpty() ? "f:status" : "f:spec";
      fields.keySet().removeIf(field -> isUnowned(field) || field.get(0).equals(reset));
      return fields;
    }
  }

  /**
   * Makes the writer the owner of what it changed. An explicit empty list clears all ownership, and
   * an object without any is not tracked until the next apply.
   *
   * @param old what was there before, an empty object for a create
   */
  public static void track(ObjectNode old, ObjectNode next, JsonNode schema, Writer writer) {
    JsonNode before = Json.at(old, "metadata.managedFields");
    JsonNode sent = Json.at(next, "metadata.managedFields");
    if (sent.isArray() && sent.isEmpty()) {
      Json.meta(next).remove("managedFields");
      return;
    }
    Json.put(Json.meta(next), "managedFields", before.deepCopy());
    boolean untracked = !old.isEmpty() && before.isMissingNode();
    if (writer.manager().isEmpty() || untracked) {
      return;
    }
    NavigableMap<List<String>, JsonNode> had = writer.owned(FieldSet.withStructures(old, schema));
    NavigableMap<List<String>, JsonNode> has = writer.owned(FieldSet.withStructures(next, schema));
    NavigableSet<List<String>> changed = FieldSet.empty();
    has.forEach(
        (field, value) -> {
          if (!value.equals(had.get(field))) {
            changed.add(field);
          }
        });
    had.keySet().removeAll(has.keySet());
    if (!changed.isEmpty() || !had.isEmpty()) {
      take(next, changed, had.keySet(), writer);
    }
  }

  private static void take(
      ObjectNode next,
      NavigableSet<List<String>> changed,
      Set<List<String>> removed,
      Writer writer) {
    List<Managed> entries = Managed.read(next);
    NavigableSet<List<String>> mine = FieldSet.empty();
    mine.addAll(changed);
    Managed own =
        new Managed(
            writer.manager(),
            "Update",
            Json.text(next, "apiVersion"),
            writer.subresource(),
            writer.time(),
            mine);
    for (Managed entry : entries) {
      removed.forEach(entry.fields()::remove);
      if (entry.isSameWriter(own)) {
        mine.addAll(entry.fields());
      } else {
        entry.fields().removeAll(changed);
      }
    }
    entries.removeIf(own::isSameWriter);
    entries.add(own);
    Managed.write(entries, next);
  }

  private static boolean isUnowned(List<String> field) {
    String first = field.get(0);
    return first.equals("f:apiVersion")
        || first.equals("f:kind")
        || (first.equals("f:metadata") && (field.size() == 1 || UNOWNED.contains(field.get(1))));
  }
}
