package io.gpudra.simulator.http;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Deleted;
import io.gpudra.simulator.server.ObjectServer.Outcome;
import io.gpudra.simulator.server.ObjectServer.PatchRequest;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Requests for one object, and for the deletion of many. */
record Objects(ObjectServer server) {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ImmutableMap<String, PatchRequest.Type> PATCHES =
      ImmutableMap.of(
          "application/json-patch+json", PatchRequest.Type.JSON,
          "application/merge-patch+json", PatchRequest.Type.MERGE,
          "application/strategic-merge-patch+json", PatchRequest.Type.STRATEGIC,
          "application/apply-patch+yaml", PatchRequest.Type.APPLY);

  private static final int SUMMARY = 30;
  private static final List<JsonNode> POLICIES = texts("Foreground", "Background", "Orphan", "nil");
  private static final List<JsonNode> VALIDATIONS = texts("", "Ignore", "Strict", "Warn");

  static List<JsonNode> texts(String... texts) {
    return Stream.of(texts).<JsonNode>map(TextNode::valueOf).toList();
  }

  Reply handle(Call call, Kind kind, byte[] body) {
    boolean named = !call.key().name().isEmpty();
    boolean binding = kind.kind().equals("Pod") && call.subresource().equals("binding");
    boolean eviction = kind.kind().equals("Pod") && call.subresource().equals("eviction");
    boolean status = call.subresource().equals("status") && kind.traits().status();
    if (!call.subresource().isEmpty() && !status && !binding && !eviction) {
      throw Refusal.unknownPath();
    }
    boolean asks = binding || eviction;
    if (call.verb().equals("update") ? !named : call.verb().equals("create") && named && !asks) {
      throw Refusal.methodNotAllowed();
    }
    Form form = Form.of(call);
    Target target = new Target(kind, call.key(), status);
    return switch (call.verb()) {
      case "get" -> get(call, kind, form);
      case "create" ->
          asks
              ? binding ? bind(call, body) : evict(call, body)
              : reply(server.create(target, object(call, kind, body), options(call)), call, kind);
      case "update" ->
          reply(server.update(target, object(call, kind, body), options(call)), call, kind);
      case "patch" -> reply(server.patch(target, patch(call, body), options(call)), call, kind);
      case "delete" -> delete(call, target, body);
      case "deletecollection" -> deleteAll(call, kind, body);
      default -> throw Refusal.methodNotAllowed();
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

  private Reply bind(Call call, byte[] body) {
    ObjectNode binding = object(call, body);
    if (!text(binding, "metadata.name").equals(call.key().name())) {
      throw Refusal.badRequest("name in URL does not match name in Binding object");
    }
    server.bind(call.key().namespace(), call.key().name(), text(binding, "target.name"));
    return Reply.json(201, success().put("code", 201));
  }

  private Reply evict(Call call, byte[] body) {
    ObjectNode eviction = object(call, body);
    if (!text(eviction, "metadata.name").equals(call.key().name())) {
      throw Refusal.badRequest("name in URL does not match name in Eviction object");
    }
    byte[] options = Reply.bytes(eviction.path("deleteOptions"));
    boolean said = eviction.path("deleteOptions").isObject();
    server.evict(call.key(), deleteOptions(call, said ? options : new byte[0]));
    return Reply.json(201, success().put("code", 201));
  }

  private static Reply reply(Outcome outcome, Call call, Kind kind) {
    boolean silent = call.param("fieldValidation").equals("Ignore");
    ObjectNode shown = Form.of(call).one(kind, outcome.object(), call);
    return Reply.json(outcome.created() ? 201 : 200, shown)
        .withWarnings(silent ? List.of() : outcome.warnings());
  }

  private Reply delete(Call call, Target target, byte[] body) {
    Deleted deleted = server.delete(target, deleteOptions(call, body));
    Kind kind = target.kind();
    if (!deleted.gone() || kind.traits().deleteAnswersObject()) {
      return Reply.json(200, deleted.object());
    }
    ObjectNode details = Json.object("name", call.key().name(), "kind", kind.resource().plural());
    if (!kind.resource().group().isEmpty()) {
      details.put("group", kind.resource().group());
    }
    details.put("uid", text(deleted.object(), "metadata.uid"));
    return Reply.json(200, success().set("details", details));
  }

  private Reply deleteAll(Call call, Kind kind, byte[] body) {
    ObjectNode list = Json.object("kind", kind.names().listKind());
    list.put("apiVersion", kind.resource().apiVersion());
    list.set("metadata", Json.object("resourceVersion", Long.toString(server.revision())));
    ArrayNode items = list.putArray("items");
    for (Stored stored : server.store().list(kind.resource(), call.key().namespace())) {
      if (Selector.of(kind, call).test(stored.object())) {
        Target target = new Target(kind, Store.Key.of(stored.object()), false);
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
    ObjectNode status = Json.object("kind", "Status", "apiVersion", "v1", "status", "Success");
    status.putObject("metadata");
    return status;
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
        propagation(call, options),
        text(options, "preconditions.uid"),
        text(options, "preconditions.resourceVersion"),
        call.isDryRun(options));
  }

  private static String propagation(Call call, JsonNode options) {
    String policy = options.path("propagationPolicy").asText(call.param("propagationPolicy"));
    Problems problems = new Problems();
    if (!policy.isEmpty() && options.has("orphanDependents")) {
      String rule = "orphanDependents and deletionPropagation cannot be both set";
      problems.invalid("propagationPolicy", policy, rule);
    } else if (!policy.isEmpty() && !POLICIES.subList(0, 3).contains(TextNode.valueOf(policy))) {
      problems.unsupported("propagationPolicy", TextNode.valueOf(policy), POLICIES);
    }
    if (!problems.isEmpty()) {
      throw Refusal.invalid(Resource.OPTIONS, "DeleteOptions", "", problems);
    }
    return policy;
  }

  private static WriteOptions options(Call call) {
    check(call);
    boolean strict = call.param("fieldValidation").equals("Strict");
    return new WriteOptions(call.manager(), call.isDryRun(Json.object()), strict, false);
  }

  private static void check(Call call) {
    Problems problems = new Problems();
    JsonNode dryRun = TextNode.valueOf(call.param("dryRun"));
    if (!dryRun.asText().isEmpty() && !dryRun.asText().equals("All")) {
      String text = "Unsupported value: []string{%s}: supported values: \"All\"";
      problems.add("dryRun", "FieldValueNotSupported", text.formatted(dryRun));
    }
    JsonNode validation = TextNode.valueOf(call.param("fieldValidation"));
    if (!VALIDATIONS.contains(validation)) {
      problems.unsupported("fieldValidation", validation, VALIDATIONS);
    }
    boolean applies = call.header("content-type").startsWith("application/apply-patch");
    if (applies && call.param("fieldManager").isEmpty()) {
      problems.required("fieldManager", "is required for apply patch");
    }
    if (!problems.isEmpty()) {
      String verb = call.verb().substring(0, 1).toUpperCase(Locale.ROOT) + call.verb().substring(1);
      throw Refusal.invalid(Resource.OPTIONS, verb + "Options", "", problems);
    }
  }

  private static PatchRequest patch(Call call, byte[] body) {
    String type = call.header("content-type").replaceFirst(";.*", "");
    PatchRequest.Type how = PATCHES.get(type);
    if (how == null) {
      throw Refusal.unknownPatch();
    }
    JsonNode patch = parse(call, body);
    if (how == PatchRequest.Type.JSON ? !patch.isArray() : !patch.isObject()) {
      String wanted =
          how == PatchRequest.Type.JSON ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
      String found = patch.getNodeType().name().toLowerCase(Locale.ROOT);
      String text = "error decoding patch: json: cannot unmarshal %s into Go value of type %s";
      throw Refusal.badRequest(text.formatted(found, wanted));
    }
    return new PatchRequest(how, patch, call.param("force").equals("true"));
  }

  /** Of a custom resource the body must say the kind. */
  private static ObjectNode object(Call call, Kind kind, byte[] body) {
    ObjectNode object = object(call, body);
    if (kind.isCustom() && !object.has("kind")) {
      String json = new String(body, StandardCharsets.UTF_8);
      String text =
          "the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in"
              + " '%s' (%s)";
      String start = json.length() > SUMMARY ? json.substring(0, SUMMARY) + " ..." : json;
      throw Refusal.badRequest(text.formatted(kind.kind(), json, start));
    }
    return object;
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
    throw Refusal.unknownFormat(Form.TYPES);
  }
}
