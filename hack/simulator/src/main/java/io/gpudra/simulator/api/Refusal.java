package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;

/** Makes the refusals of a real 1.30 with their exact texts and details. */
public final class Refusal {
  private Refusal() {}

  /** 404 for an object. */
  public static ApiError notFound(Resource resource, String name) {
    String text = qualified(resource) + " \"" + name + "\" not found";
    return of(404, "NotFound", text, details(resource, resource.plural(), name));
  }

  /** 404 for a path that is not served. */
  public static ApiError unknownPath() {
    return of(404, "NotFound", "the server could not find the requested resource", Json.object());
  }

  /** 409 for a create. */
  public static ApiError alreadyExists(Resource resource, String name, boolean terminating) {
    String prefix = terminating ? "object is being deleted: " : "";
    String text = prefix + qualified(resource) + " \"" + name + "\" already exists";
    return of(409, "AlreadyExists", text, details(resource, resource.plural(), name));
  }

  /** 409 for a stale resourceVersion. */
  public static ApiError stale(Resource resource, String name) {
    return conflict(
        resource,
        resource.plural(),
        name,
        "the object has been modified; please apply your changes to the latest version and try"
            + " again");
  }

  /** 409; a failed DELETE precondition names the Kind, everything else the plural. */
  public static ApiError conflict(Resource resource, String kind, String name, String why) {
    String what = resource.group().isEmpty() ? kind : kind + "." + resource.group();
    String text = "Operation cannot be fulfilled on " + what + " \"" + name + "\": " + why;
    return of(409, "Conflict", text, details(resource, kind, name));
  }

  /** 422 with one cause per problem. */
  public static ApiError invalid(
      Resource resource, String kind, String name, List<Problem> problems) {
    String what = resource.group().isEmpty() ? kind : kind + "." + resource.group();
    List<String> texts =
        new LinkedHashSet<>(problems).stream().map(Problem::toString).collect(Collectors.toList());
    String joined = texts.size() == 1 ? texts.get(0) : "[" + String.join(", ", texts) + "]";
    ObjectNode details = details(resource, kind, name);
    for (Problem problem : problems) {
      details
          .withArrayProperty("causes")
          .addObject()
          .put("reason", problem.reason())
          .put("message", problem.message())
          .put("field", problem.field());
    }
    return of(422, "Invalid", what + " \"" + name + "\" is invalid: " + joined, details);
  }

  /** 403 for a create in a namespace that is going away. */
  public static ApiError terminating(Resource resource, String name, String namespace) {
    ObjectNode details = details(resource, resource.plural(), name);
    details
        .withArrayProperty("causes")
        .addObject()
        .put("reason", "NamespaceTerminating")
        .put("message", "namespace " + namespace + " is being terminated")
        .put("field", "metadata.namespace");
    String why =
        "unable to create new content in namespace "
            + namespace
            + " because it is being terminated";
    String text = qualified(resource) + " \"" + name + "\" is forbidden: " + why;
    return of(403, "Forbidden", text, details);
  }

  /** 400. */
  public static ApiError badRequest(String text) {
    return of(400, "BadRequest", text, Json.object());
  }

  /** 410, also inside a watch. */
  public static ApiError expired(String text) {
    return of(410, "Expired", text, Json.object());
  }

  /** 500. */
  public static ApiError internal(String text) {
    return of(500, "InternalError", text, Json.object());
  }

  /** Any refusal; empty details are left out. */
  public static ApiError of(int code, String reason, String text, ObjectNode details) {
    ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
    status.putObject("metadata");
    status.put("status", "Failure").put("message", text).put("reason", reason);
    if (!details.isEmpty()) {
      status.set("details", details);
    }
    return new ApiError(code, status.put("code", code));
  }

  /** {@code plural.group}, or the plural alone for the core group. */
  public static String qualified(Resource resource) {
    return resource.group().isEmpty()
        ? resource.plural()
        : resource.plural() + "." + resource.group();
  }

  private static ObjectNode details(Resource resource, String kind, String name) {
    ObjectNode details = Json.object();
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!resource.group().isEmpty()) {
      details.put("group", resource.group());
    }
    return details.put("kind", kind);
  }
}
