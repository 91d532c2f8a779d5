package io.gpudra.simulator.http;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.DeleteOptions;
import io.gpudra.simulator.server.Deleted;
import io.gpudra.simulator.server.ObjectServer;
import io.gpudra.simulator.server.Outcome;
import io.gpudra.simulator.server.PatchRequest;
import io.gpudra.simulator.server.Target;
import io.gpudra.simulator.server.WriteOptions;
import io.gpudra.simulator.store.Key;
import io.gpudra.simulator.store.Stored;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Requests for one object, and for the deletion of many. */
record Objects(ObjectServer server) {
  private static final YAMLMapper YAML = new YAMLMapper();

  Reply handle(Call call, Kind kind, byte[] body) {
    boolean binding = kind.kind().equals("Pod") && call.subresource().equals("binding");
    boolean status = call.subresource().equals("status") && kind.traits().status();
    if (!call.subresource().isEmpty() && !status && !binding) {
      throw Refusal.unknownPath();
    }
    Form form = Form.of(call);
    Target target = new Target(kind, call.key(), status);
    return switch (call.verb()) {
      case "get" -> get(call, kind, form);
      case "create" -> binding ? bind(call, body) : create(call, target, body, form);
      case "update" -> reply(server.update(target, object(call, body), options(call)), call, kind);
      case "patch" -> reply(server.patch(target, patch(call, body), options(call)), call, kind);
      case "delete" -> delete(call, target, body);
      case "deletecollection" -> deleteAll(call, kind, body);
      default ->
          throw Refusal.of(
              405,
              "MethodNotAllowed",
              "the server does not allow this method on the requested resource");
    };
  }

  private Reply get(Call call, Kind kind, Form form) {
    Stored stored =
        server
            .store()
            .get(kind.resource(), call.key())
            .orElseThrow(() -> Refusal.notFound(kind.resource(), call.key().name()));
    return Reply.json(200, form.one(kind, stored.object(), call));
  }

  private Reply create(Call call, Target target, byte[] body, Form form) {
    Outcome outcome = server.create(target, object(call, body), options(call));
    Reply reply = Reply.json(201, form.one(target.kind(), outcome.object(), call));
    return reply.withWarnings(warnings(call, outcome));
  }

  private static List<String> warnings(Call call, Outcome outcome) {
    return call.param("fieldValidation").equals("Ignore") ? List.of() : outcome.warnings();
  }

  private Reply bind(Call call, byte[] body) {
    server.bind(call.key().namespace(), call.key().name(), text(object(call, body), "target.name"));
    return Reply.json(201, success());
  }

  private static Reply reply(Outcome outcome, Call call, Kind kind) {
    ObjectNode shown = Form.of(call).one(kind, outcome.object(), call);
    return Reply.json(outcome.created() ? 201 : 200, shown).withWarnings(warnings(call, outcome));
  }

  private Reply delete(Call call, Target target, byte[] body) {
    Deleted deleted = server.delete(target, deleteOptions(call, body));
    Kind kind = target.kind();
    if (!deleted.gone() || kind.traits().deleteAnswersObject()) {
      return Reply.json(200, deleted.object());
    }
    ObjectNode status = success();
    ObjectNode details = status.putObject("details").put("name", call.key().name());
    if (!kind.resource().group().isEmpty()) {
      details.put("group", kind.resource().group());
    }
    details.put("kind", kind.resource().plural());
    details.put("uid", text(deleted.object(), "metadata.uid"));
    return Reply.json(200, status);
  }

  private Reply deleteAll(Call call, Kind kind, byte[] body) {
    ObjectNode list = Json.object().put("kind", kind.names().listKind());
    list.put("apiVersion", kind.resource().apiVersion());
    list.putObject("metadata").put("resourceVersion", Long.toString(server.revision()));
    ArrayNode items = list.putArray("items");
    for (Stored stored : server.store().list(kind.resource(), call.key().namespace())) {
      if (Selector.of(kind, call).test(stored.object())) {
        Target target = new Target(kind, Key.of(stored.object()), false);
        deleteIfThere(target, deleteOptions(call, body)).ifPresent(items::add);
      }
    }
    return Reply.json(200, list);
  }

  private Optional<ObjectNode> deleteIfThere(Target target, DeleteOptions options) {
    try {
      return Optional.of(server.delete(target, options).object());
    } catch (ApiError e) {
      if (e.code() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static ObjectNode success() {
    ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    return status.put("status", "Success");
  }

  private static DeleteOptions deleteOptions(Call call, byte[] body) {
    JsonNode options = body.length == 0 ? Json.object() : parse(call, body);
    String query = call.param("gracePeriodSeconds");
    Optional<Integer> grace =
        query.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(query));
    if (options.has("gracePeriodSeconds")) {
      grace = Optional.of(options.path("gracePeriodSeconds").asInt());
    }
    return new DeleteOptions(
        grace,
        text(options, "preconditions.uid"),
        text(options, "preconditions.resourceVersion"),
        call.isDryRun(options));
  }

  private static WriteOptions options(Call call) {
    boolean strict = call.param("fieldValidation").equals("Strict");
    return new WriteOptions(call.manager(), call.isDryRun(Json.object()), strict, false);
  }

  private static PatchRequest patch(Call call, byte[] body) {
    String type = call.header("content-type");
    PatchRequest.Type how;
    if (type.startsWith("application/json-patch+json")) {
      how = PatchRequest.Type.JSON;
    } else if (type.startsWith("application/merge-patch+json")) {
      how = PatchRequest.Type.MERGE;
    } else if (type.startsWith("application/strategic-merge-patch+json")) {
      how = PatchRequest.Type.STRATEGIC;
    } else if (type.startsWith("application/apply-patch+yaml")) {
      how = PatchRequest.Type.APPLY;
    } else {
      throw unsupported(
          "application/json-patch+json, application/merge-patch+json,"
              + " application/strategic-merge-patch+json, application/apply-patch+yaml");
    }
    return new PatchRequest(how, parse(call, body), call.param("force").equals("true"));
  }

  private static ObjectNode object(Call call, byte[] body) {
    if (parse(call, body) instanceof ObjectNode object) {
      return Json.copy(object);
    }
    throw Refusal.badRequest(
        "the object provided is unrecognized (must be of type " + call.what() + ")");
  }

  private static JsonNode parse(Call call, byte[] body) {
    String type = call.header("content-type");
    try {
      if (type.contains("yaml")) {
        return YAML.readTree(body);
      }
      if (type.isEmpty() || type.contains("json")) {
        return Json.MAPPER.readTree(body);
      }
    } catch (JsonProcessingException e) {
      throw (ApiError)
          Refusal.badRequest(
                  "couldn't get version/kind; json parse error: " + e.getOriginalMessage())
              .initCause(e);
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory cannot fail to be read", e);
    }
    throw unsupported("application/json, application/yaml");
  }

  private static ApiError unsupported(String types) {
    String text =
        "the body of the request was in an unknown format - accepted media types include: ";
    return Refusal.of(415, "UnsupportedMediaType", text + types);
  }
}
