package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.apply.JsonPatch;
import io.gpudra.simulator.apply.Managers;
import io.gpudra.simulator.apply.MergePatch;
import io.gpudra.simulator.apply.ServerSideApply;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.schema.Pruning;
import io.gpudra.simulator.server.ObjectServer.Outcome;
import io.gpudra.simulator.server.ObjectServer.PatchRequest;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** PATCH of all four types. */
record Patcher(Store store, Writer writer, Identity identity) {
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  Outcome patch(Target target, PatchRequest patch, WriteOptions options) {
    List<String> warnings = new ArrayList<>();
    if (patch.type() == PatchRequest.Type.STRATEGIC && target.kind().isCustom()) {
      throw Refusal.unknownFormat(
          "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    }
    if (patch.type() == PatchRequest.Type.APPLY) {
      return apply(target, patch, options, warnings);
    }
    return writer.replace(
        target,
        old -> {
          String uid = text(old, "metadata.uid");
          ObjectNode next = checked(target, uid, patched(target.kind(), patch, old));
          warnings.clear();
          warnings.addAll(Writer.prune(target.kind(), next));
          if (options.strict() && !warnings.isEmpty()) {
            throw unreadable(target, "strict decoding error: " + String.join(", ", warnings));
          }
          return next;
        },
        options,
        warnings);
  }

  private static ObjectNode patched(Kind kind, PatchRequest patch, ObjectNode old) {
    JsonNode body = patch.body();
    return switch (patch.type()) {
      case JSON -> {
        String problem = JsonPatch.apply(old, body);
        if (!problem.isEmpty()) {
          throw Refusal.unprocessable();
        }
        yield old;
      }
      case MERGE -> MergePatch.merge(old, body);
      case STRATEGIC, APPLY -> MergePatch.strategic(old, body, kind.schema());
    };
  }

  /** Refuses a patch that makes another object of it. */
  private static ObjectNode checked(Target target, String uid, ObjectNode next) {
    Kind kind = target.kind();
    Problems problems = new Problems();
    JsonNode before = TextNode.valueOf(uid);
    JsonNode now = TextNode.valueOf(text(next, "metadata.uid"));
    // A real server looks at the metadata of an update twice, and reports twice.
    problems.immutable("metadata.uid", before, now).immutable("metadata.uid", before, now);
    kind.rules()
        .undecodable(next)
        .ifPresent(
            why -> {
              throw unreadable(target, why);
            });
    if (!problems.isEmpty()) {
      throw target.invalid(problems);
    }
    Metadata.agree(target, next);
    return next;
  }

  /** 422 for a patch whose outcome cannot be read. */
  private static ApiError unreadable(Target target, String why) {
    Problems problems = new Problems().invalid("patch", target.key().name(), why);
    return Refusal.invalid(new Resource("", "", ""), "", "", problems);
  }

  private Outcome apply(
      Target target, PatchRequest patch, WriteOptions options, List<String> warnings) {
    Kind kind = target.kind();
    ObjectNode config = Json.copy((ObjectNode) patch.body());
    Metadata.agree(target, config);
    if (!Json.at(config, "metadata.managedFields").isMissingNode()) {
      throw Refusal.badRequest("metadata.managedFields must be nil");
    }
    rejectUntyped(target, (ObjectNode) patch.body());
    // The merge computes the ownership itself, so the write must not.
    WriteOptions merged = new WriteOptions(options.manager(), options.dryRun(), false, true);
    if (store.get(kind.resource(), target.key()).isEmpty() && !target.status()) {
      ObjectNode made = applied(target, Optional.empty(), patch, options, config);
      return writer.create(target, made, merged);
    }
    return writer.replace(
        target,
        old ->
            checked(
                target,
                text(old, "metadata.uid"),
                applied(target, Optional.of(old), patch, options, config)),
        merged,
        warnings);
  }

  private ObjectNode applied(
      Target target,
      Optional<ObjectNode> old,
      PatchRequest patch,
      WriteOptions options,
      ObjectNode config) {
    Managers.Writer by =
        new Managers.Writer(options.manager(), target.status() ? "status" : "", identity.now());
    old.ifPresent(there -> renewLastApplied(there, options.manager(), config));
    ServerSideApply apply = new ServerSideApply(target.kind().schema(), by);
    ServerSideApply.Result result = apply.apply(old, config, patch.force());
    if (!result.conflicts().isEmpty()) {
      throw conflicts(result.conflicts());
    }
    return result.object();
  }

  /** So that kubectl can go back to client-side apply. */
  private static void renewLastApplied(ObjectNode live, String manager, ObjectNode config) {
    ObjectNode annotations = Json.meta(live).withObjectProperty("annotations");
    if (manager.equals("kubectl") && annotations.has(LAST_APPLIED)) {
      annotations.put(LAST_APPLIED, Json.sorted(config) + "\n");
    }
  }

  private static ApiError conflicts(List<ServerSideApply.Conflict> conflicts) {
    ObjectNode details = Json.object();
    StringBuilder text = new StringBuilder();
    for (ServerSideApply.Conflict conflict : conflicts) {
      String with = "conflict with " + conflict.manager();
      Refusal.cause(details, "FieldManagerConflict", with, conflict.field());
      text.append("\n- ").append(conflict.field());
    }
    String with = " with " + conflicts.get(0).manager() + ":";
    String message =
        conflicts.size() == 1
            ? "Apply failed with 1 conflict: conflict" + with + " " + conflicts.get(0).field()
            : "Apply failed with " + conflicts.size() + " conflicts: conflicts" + with + text;
    return Refusal.of(409, "Conflict", message, details);
  }

  /** What the schema cannot merge is an error of the server on a real one too. */
  private static void rejectUntyped(Target target, ObjectNode config) {
    Kind kind = target.kind();
    List<String> unknown = Pruning.prune(config.deepCopy(), kind.schema());
    String problem =
        unknown.isEmpty()
            ? ServerSideApply.untyped(config, kind.schema())
            : "." + unknown.get(0) + ": field not declared in schema";
    if (!problem.isEmpty()) {
      Store.Key key = target.key();
      String text = "failed to create typed patch object (%s/%s; %s, Kind=%s): %s";
      String namespace = Json.text(config, "metadata.namespace");
      String version = kind.resource().apiVersion();
      throw Refusal.internal(text.formatted(namespace, key.name(), version, kind.kind(), problem));
    }
  }
}
