package io.gpudra.simulator.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.api.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;

/**
 * An entry of {@code managedFields}.
 *
 * @param operation Apply or Update
 * @param subresource empty for the main resource
 * @param time empty for an apply that found everything as it wanted it
 * @param fields mutable, confined to one computation
 */
record Managed(
    String manager,
    String operation,
    String apiVersion,
    String subresource,
    String time,
    NavigableSet<List<String>> fields) {
  private static final Comparator<Managed> ORDER =
      Comparator.comparing(Managed::operation)
          .thenComparing(Managed::time)
          .thenComparing(Managed::manager)
          .thenComparing(Managed::subresource);

  static Managed of(
      Managers.Writer writer,
      String operation,
      ObjectNode object,
      NavigableMap<List<String>, JsonNode> all) {
    NavigableSet<List<String>> fields = FieldSet.empty();
    fields.addAll(writer.owned(all).keySet());
    String version = Json.text(object, "apiVersion");
    return new Managed(
        writer.manager(), operation, version, writer.subresource(), writer.time(), fields);
  }

  boolean isSameWriter(Managed other) {
    return manager.equals(other.manager)
        && operation.equals(other.operation)
        && subresource.equals(other.subresource)
        && apiVersion.equals(other.apiVersion);
  }

  /** The writer as a conflict names it. */
  String text() {
    String text = "\"" + manager + "\"";
    if (!subresource.isEmpty()) {
      text += " with subresource \"" + subresource + "\"";
    }
    return operation.equals("Update") ? text + " using " + apiVersion : text;
  }

  static List<Managed> read(ObjectNode object) {
    List<Managed> entries = new ArrayList<>();
    for (JsonNode entry : Json.at(object, "metadata.managedFields")) {
      entries.add(
          new Managed(
              Json.text(entry, "manager"),
              Json.text(entry, "operation"),
              Json.text(entry, "apiVersion"),
              Json.text(entry, "subresource"),
              Json.text(entry, "time"),
              FieldSet.fromJson(entry.path("fieldsV1"))));
    }
    return entries;
  }

  /** Replaces the entries of the object; those that own nothing are left out. */
  static void write(List<Managed> entries, ObjectNode object) {
    ArrayNode array = Json.meta(object).putArray("managedFields");
    for (Managed entry : ImmutableList.sortedCopyOf(ORDER, entries)) {
      if (!entry.fields.isEmpty()) {
        entry.writeTo(array.addObject());
      }
    }
    if (array.isEmpty()) {
      Json.meta(object).remove("managedFields");
    }
  }

  private void writeTo(ObjectNode node) {
    node.put("apiVersion", apiVersion).put("fieldsType", "FieldsV1");
    node.set("fieldsV1", FieldSet.toJson(fields));
    node.put("manager", manager).put("operation", operation);
    if (!subresource.isEmpty()) {
      node.put("subresource", subresource);
    }
    if (!time.isEmpty()) {
      node.put("time", time);
    }
  }
}
