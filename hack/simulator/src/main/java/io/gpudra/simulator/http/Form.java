package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.base.Splitter;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;

/** In which form a client wants objects. */
enum Form {
  OBJECT,
  TABLE,
  METADATA;

  static final String TYPES =
      "application/json, application/yaml, application/vnd.kubernetes.protobuf";

  private static final List<String> READABLE = List.of("json", "yaml", "*/*", "application/*");
  private static final ObjectNode NO_CLASS = Json.object("resourceClassName", "");

  /** By the first of the accepted types that can be had. */
  static Form of(Call call) {
    String accept = call.header("accept").toLowerCase(Locale.ROOT);
    for (String type : Splitter.on(',').split(accept)) {
      if (type.contains("as=")) {
        if (type.contains("as=table")) {
          return TABLE;
        }
        if (type.contains("as=partialobjectmetadata")) {
          return METADATA;
        }
      } else if (type.isEmpty() || READABLE.stream().anyMatch(type::contains)) {
        return OBJECT;
      }
    }
    throw accept.contains("as=")
        ? Refusal.of(406, "NotAcceptable", "only the following media types are accepted: " + TYPES)
        : Refusal.notAcceptable(TYPES);
  }

  /** One object. */
  ObjectNode one(Kind kind, ObjectNode object, Call call) {
    return switch (this) {
      case OBJECT -> object;
      case METADATA -> metadata(object);
      case TABLE -> table(kind, List.of(object), call);
    };
  }

  private static ObjectNode metadata(ObjectNode object) {
    String version = "meta.k8s.io/v1";
    ObjectNode partial = Json.object("kind", "PartialObjectMetadata", "apiVersion", version);
    return partial.set("metadata", object.path("metadata"));
  }

  /** A list; its metadata is already made. */
  ObjectNode list(Kind kind, List<ObjectNode> objects, ObjectNode meta, Call call) {
    ObjectNode list = Json.object("apiVersion", "meta.k8s.io/v1");
    if (this == TABLE) {
      list = table(kind, objects, call);
    } else {
      list.put("kind", "PartialObjectMetadataList");
      objects.stream().map(Form::metadata).forEach(list.putArray("items")::add);
    }
    return list.set("metadata", meta);
  }

  private static ObjectNode table(Kind kind, List<ObjectNode> objects, Call call) {
    ObjectNode table = Json.object("kind", "Table", "apiVersion", "meta.k8s.io/v1");
    JsonNode first = objects.isEmpty() ? Json.object() : objects.get(0);
    String revision = Json.text(first, "metadata.resourceVersion");
    table.set("metadata", Json.object("resourceVersion", revision));
    ArrayNode columns = table.putArray("columnDefinitions");
    for (Kind.Column column : kind.columns()) {
      String format = column.name().equals("Name") ? "name" : "";
      // Real servers make the ages of built-in kinds texts, and those of others dates.
      String type = kind.isCustom() ? column.type() : column.type().replace("date", "string");
      ObjectNode definition = Json.object("name", column.name(), "type", type);
      definition.put("format", format).put("description", "").put("priority", column.priority());
      columns.add(definition);
    }
    ArrayNode rows = table.putArray("rows");
    for (ObjectNode object : objects) {
      ObjectNode row = rows.addObject();
      ArrayNode cells = row.putArray("cells");
      kind.columns().forEach(column -> cells.add(cell(column, object)));
      String included = call.param("includeObject");
      if (!included.equals("None")) {
        row.set("object", included.equals("Object") ? object : metadata(object));
      }
    }
    return table;
  }

  private static JsonNode cell(Kind.Column column, ObjectNode object) {
    JsonNode value = column.cell().apply(object);
    if (value.isMissingNode() || value.isNull()) {
      return NullNode.getInstance();
    }
    if (column.type().equals("date")) {
      return TextNode.valueOf(age(value.asText()));
    }
    return column.type().equals("string") && !value.isTextual()
        ? TextNode.valueOf(value.toString())
        : value;
  }

  /** How long ago, in the two-unit form of kubectl. */
  private static String age(String time) {
    try {
      Duration age = Duration.between(Instant.parse(time), Instant.now());
      if (age.toMinutes() < 2) {
        return Math.max(0, age.toSeconds()) + "s";
      }
      return age.toHours() < 3 ? age.toMinutes() + "m" : age.toHours() + "h";
    } catch (DateTimeParseException e) {
      return "<invalid>";
    }
  }

  /** What a bookmark shows of a kind beside its names: the zero value of what it must have. */
  static ObjectNode bookmark(Kind kind, long revision) {
    ObjectNode object =
        switch (kind.kind()) {
          case "ResourceClaim" -> Json.object("spec", NO_CLASS, "status", Json.object());
          case "ResourceClaimTemplate" ->
              Json.object("spec", Json.object("metadata", Json.object(), "spec", NO_CLASS));
          case "Pod" ->
              Json.object("spec", Json.object("containers", List.of()), "status", Json.object());
          case "ResourceClass" -> Json.object("driverName", "");
          case "PodSchedulingContext", "Node", "Namespace" ->
              Json.object("spec", Json.object(), "status", Json.object());
          default -> Json.object();
        };
    object.put("kind", kind.kind()).put("apiVersion", kind.resource().apiVersion());
    Json.meta(object).put("resourceVersion", Long.toString(revision)).putNull("creationTimestamp");
    return object;
  }
}
