package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.collect.Streams;
import io.gpudra.simulator.api.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The columns of tables. Cells of type {@code date} carry the time; the wire turns it into an age.
 */
final class Columns {
  private static final Kind.Column NAME =
      new Kind.Column("Name", "string", 0, object -> Json.at(object, "metadata.name"));
  private static final Map<String, Function<ObjectNode, String>> COMPUTED =
      Map.of(
          "nodeState", Columns::nodeState,
          "podReady", Columns::podReady,
          "podState", Columns::podState,
          "claimState", Columns::claimState,
          "eventObject", Columns::eventObject);

  // The JSON paths of printer columns: fields, indexes and equality filters.
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([\\w-]+)|\\[(\\d+|\\*)\\]|\\[\\?\\(@\\.(\\w+)\\s*==\\s*[\"']([^\"']*)[\"']\\)\\]");

  private Columns() {}

  /** From {@code Title=.json.path}, {@code Title=age} or {@code Title=computed}. */
  static List<Kind.Column> builtIn(List<String> notes) {
    List<Kind.Column> columns = new ArrayList<>();
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

  private static Kind.Column builtIn(String title, String source) {
    if (source.equals("age")) {
      return new Kind.Column(title, "date", 0, o -> Json.at(o, "metadata.creationTimestamp"));
    }
    String type = source.endsWith("astTimestamp") ? "date" : "string";
    Function<ObjectNode, String> computed = COMPUTED.get(source);
    Function<ObjectNode, JsonNode> cell =
        computed == null ? o -> first(o, source) : computed.andThen(TextNode::valueOf);
    return new Kind.Column(title, type, title.equals("Node") ? 1 : 0, cell);
  }

  /** From {@code additionalPrinterColumns}; with none, the age. */
  static List<Kind.Column> custom(JsonNode notes) {
    List<Kind.Column> columns = new ArrayList<>(List.of(NAME));
    for (JsonNode note : notes) {
      String path = Json.text(note, "jsonPath");
      columns.add(
          new Kind.Column(
              Json.text(note, "name"),
              Json.text(note, "type"),
              note.path("priority").asInt(),
              object -> first(object, path)));
    }
    if (notes.isEmpty()) {
      columns.add(builtIn("Age", "age"));
    }
    return columns;
  }

  /** The first value at a path; missing for a path that is not understood. */
  private static JsonNode first(ObjectNode object, String path) {
    JsonNode here = object;
    Matcher step = STEP.matcher(path);
    int end = 0;
    while (step.lookingAt()) {
      if (step.group(1) != null) {
        here = here.path(step.group(1));
      } else if (step.group(2) != null) {
        here = here.path(step.group(2).equals("*") ? 0 : Integer.parseInt(step.group(2)));
      } else {
        here = Json.find(here, step.group(3), step.group(4));
      }
      end = step.end();
      step.region(end, path.length());
    }
    return end == path.length() ? here : MissingNode.getInstance();
  }

  private static String nodeState(ObjectNode node) {
    JsonNode ready = Json.find(Json.at(node, "status.conditions"), "type", "Ready");
    String state = Json.text(ready, "status").equals("True") ? "Ready" : "NotReady";
    return Json.at(node, "spec.unschedulable").asBoolean() ? state + ",SchedulingDisabled" : state;
  }

  private static String podReady(ObjectNode pod) {
    JsonNode statuses = Json.at(pod, "status.containerStatuses");
    long ready = Streams.stream(statuses).filter(one -> one.path("ready").asBoolean()).count();
    return ready + "/" + Json.at(pod, "spec.containers").size();
  }

  private static String eventObject(ObjectNode event) {
    JsonNode about = event.path(event.has("regarding") ? "regarding" : "involvedObject");
    return Json.text(about, "kind").toLowerCase(Locale.ROOT) + "/" + Json.text(about, "name");
  }

  private static String podState(ObjectNode pod) {
    return Json.text(pod, "metadata.deletionTimestamp").isEmpty()
        ? Json.text(pod, "status.phase")
        : "Terminating";
  }

  private static String claimState(ObjectNode claim) {
    boolean deleted = !Json.text(claim, "metadata.deletionTimestamp").isEmpty();
    if (!Json.at(claim, "status.allocation").isObject()) {
      return deleted ? "deleted" : "pending";
    }
    boolean returned = deleted || Json.at(claim, "status.deallocationRequested").asBoolean();
    boolean reserved = !Json.at(claim, "status.reservedFor").isEmpty();
    String use = reserved ? ",reserved" : returned ? ",deallocating" : "";
    return (deleted ? "deleted,allocated" : "allocated") + use;
  }
}
