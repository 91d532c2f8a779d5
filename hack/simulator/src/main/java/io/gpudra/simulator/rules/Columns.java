package io.gpudra.simulator.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The columns of tables. Cells of type {@code date} carry the time; the wire turns it into an age.
 */
final class Columns {
  private static final Column NAME =
      new Column("Name", "string", 0, object -> Json.at(object, "metadata.name"));
  private static final Map<String, Function<ObjectNode, JsonNode>> COMPUTED =
      Map.of(
          "nodeState", o -> TextNode.valueOf(nodeState(o)),
          "podReady", o -> TextNode.valueOf(podReady(o)),
          "podState", o -> TextNode.valueOf(podState(o)),
          "claimState", o -> TextNode.valueOf(claimState(o)),
          "eventObject",
              o ->
                  TextNode.valueOf(
                      (Json.text(o, "involvedObject.kind")
                              + "/"
                              + Json.text(o, "involvedObject.name"))
                          .toLowerCase(Locale.ROOT)));

  private Columns() {}

  /** From {@code Title=.json.path}, {@code Title=age} or {@code Title=computed}. */
  static List<Column> builtIn(List<String> notes) {
    List<Column> columns = new ArrayList<>();
    if (notes.stream().noneMatch(note -> note.startsWith("Last Seen"))) {
      columns.add(NAME);
    }
    for (String note : notes) {
      int cut = note.indexOf('=');
      String title = note.substring(0, cut);
      if (!title.equals("Name")) {
        columns.add(builtIn(title, note.substring(cut + 1)));
      }
    }
    return columns;
  }

  private static Column builtIn(String title, String source) {
    if (source.equals("age")) {
      return new Column(title, "date", 0, o -> Json.at(o, "metadata.creationTimestamp"));
    }
    String type = source.equals(".lastTimestamp") ? "date" : "string";
    Function<ObjectNode, JsonNode> cell =
        COMPUTED.getOrDefault(source, o -> Json.at(o, source.substring(1)));
    return new Column(title, type, title.equals("Node") ? 1 : 0, cell);
  }

  /** From {@code additionalPrinterColumns}; with none, the age. */
  static List<Column> custom(JsonNode notes) {
    List<Column> columns = new ArrayList<>(List.of(NAME));
    for (JsonNode note : notes) {
      JsonPath path = JsonPath.parse(Json.text(note, "jsonPath"));
      columns.add(
          new Column(
              Json.text(note, "name"),
              Json.text(note, "type"),
              note.path("priority").asInt(),
              path::first));
    }
    if (notes.isEmpty()) {
      columns.add(builtIn("Age", "age"));
    }
    return columns;
  }

  private static String nodeState(ObjectNode node) {
    String state = "Unknown";
    for (JsonNode condition : Json.at(node, "status.conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        state = condition.path("status").asText().equals("True") ? "Ready" : "NotReady";
      }
    }
    return Json.at(node, "spec.unschedulable").asBoolean() ? state + ",SchedulingDisabled" : state;
  }

  private static String podReady(ObjectNode pod) {
    int ready = 0;
    for (JsonNode container : Json.at(pod, "status.containerStatuses")) {
      ready += container.path("ready").asBoolean() ? 1 : 0;
    }
    return ready + "/" + Json.at(pod, "spec.containers").size();
  }

  private static String podState(ObjectNode pod) {
    return Json.text(pod, "metadata.deletionTimestamp").isEmpty()
        ? Json.text(pod, "status.phase")
        : "Terminating";
  }

  private static String claimState(ObjectNode claim) {
    List<String> states = new ArrayList<>();
    if (!Json.text(claim, "metadata.deletionTimestamp").isEmpty()) {
      states.add("deleted");
    }
    if (Json.at(claim, "status.allocation").isObject()) {
      states.add("allocated");
    }
    if (!Json.at(claim, "status.reservedFor").isEmpty()) {
      states.add("reserved");
    }
    return states.isEmpty() ? "pending" : String.join(",", states);
  }
}
