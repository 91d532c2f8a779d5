package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes the refusals of a real 1.30 with their exact texts and details. */
public final class Refusal {
  private Refusal() {}

  /** 404 for an object. */
  public static ApiError notFound(Resource resource, String name) {
    String text = qualified(resource, resource.plural()) + " \"" + name + "\" not found";
    return of(404, "NotFound", text, details(resource, resource.plural(), name));
  }

  /** 404 for a path that is not served. */
  public static ApiError unknownPath() {
    return general(404, "NotFound", "the server could not find the requested resource");
  }

  /** 409 for a create. */
  public static ApiError alreadyExists(Resource resource, String name, boolean terminating) {
    String prefix = terminating ? "object is being deleted: " : "";
    String what = prefix + qualified(resource, resource.plural());
    String text = what + " \"" + name + "\" already exists";
    return of(409, "AlreadyExists", text, details(resource, resource.plural(), name));
  }

  /** 409; a failed DELETE precondition names the Kind, everything else the plural. */
  public static ApiError conflict(Resource resource, String kind, String name, String why) {
    String text = "Operation cannot be fulfilled on " + qualified(resource, kind);
    return of(409, "Conflict", text + " \"" + name + "\": " + why, details(resource, kind, name));
  }

  /** 422 with one cause per problem. */
  public static ApiError invalid(Resource resource, String kind, String name, Problems problems) {
    String text = qualified(resource, kind) + " \"" + name + "\" is invalid: " + problems.text();
    ObjectNode details = details(resource, kind, name);
    problems.addCauses(details);
    return of(422, "Invalid", text, details);
  }

  /** 403 for a create in a namespace that is going away. */
  public static ApiError terminating(Resource resource, String name, String namespace) {
    ObjectNode details = details(resource, resource.plural(), name);
    String why = "namespace " + namespace + " is being terminated";
    cause(details, "NamespaceTerminating", why, "metadata.namespace");
    String text =
        "%s \"%s\" is forbidden: unable to create new content in namespace %s because it is being"
            + " terminated";
    String what = qualified(resource, resource.plural());
    return of(403, "Forbidden", text.formatted(what, name, namespace), details);
  }

  /** 400. */
  public static ApiError badRequest(String text) {
    return of(400, "BadRequest", text);
  }

  /** 410, also inside a watch. */
  public static ApiError expired(String text) {
    return of(410, "Expired", text);
  }

  /** 405. */
  public static ApiError methodNotAllowed() {
    String text = "the server does not allow this method on the requested resource";
    return general(405, "MethodNotAllowed", text);
  }

  /** 500, which has no reason when it comes from an error without a status. */
  public static ApiError internal(String text) {
    return of(500, "", text);
  }

  /** 422 for a JSON patch that cannot be done. */
  public static ApiError unprocessable() {
    return general(
        422, "Invalid", "the server rejected our request due to an error in our request");
  }

  /** 403 for the deletion of a namespace that every cluster has. */
  public static ApiError protectedNamespace(String name) {
    String text = "namespaces \"%s\" is forbidden: this namespace may not be deleted";
    ObjectNode details = details(Resource.NAMESPACES, "namespaces", name);
    return of(403, "Forbidden", text.formatted(name), details);
  }

  /** 406 for a client that takes none of what there is. */
  public static ApiError notAcceptable(String available) {
    String text = "406: Not Acceptable\n\nAvailable representations: " + available;
    return general(406, "NotAcceptable", text);
  }

  /** 415 for a PATCH of no known type. */
  public static ApiError unknownPatch() {
    return general(415, "UnsupportedMediaType", "415: Unsupported Media Type");
  }

  /** 415 for a body in none of the forms that the list names. */
  public static ApiError unknownFormat(String accepted) {
    String text =
        "the body of the request was in an unknown format - accepted media types include: ";
    return of(415, "UnsupportedMediaType", text + accepted);
  }

  /** Any refusal without details. */
  public static ApiError of(int code, String reason, String text) {
    return of(code, reason, text, Json.object());
  }

  /** Any refusal; an empty reason and empty details are left out. */
  public static ApiError of(int code, String reason, String text, ObjectNode details) {
    ObjectNode status = Json.object("kind", "Status", "apiVersion", "v1", "status", "Failure");
    status.put("message", text).put("code", code).putObject("metadata");
    if (!reason.isEmpty()) {
      status.put("reason", reason);
    }
    if (!details.isEmpty()) {
      status.set("details", details);
    }
    return new ApiError(code, status);
  }

  /** A refusal that is about no object and says so with empty details. */
  private static ApiError general(int code, String reason, String text) {
    ApiError error = of(code, reason, text);
    error.status().putObject("details");
    return error;
  }

  /** Adds a cause to details. */
  public static void cause(ObjectNode details, String reason, String message, String field) {
    ObjectNode cause = Json.object("reason", reason, "message", message, "field", field);
    details.withArrayProperty("causes").add(cause);
  }

  private static String qualified(Resource resource, String what) {
    return resource.group().isEmpty() ? what : what + "." + resource.group();
  }

  private static ObjectNode details(Resource resource, String kind, String name) {
    ObjectNode details = Json.object();
    if (!kind.isEmpty()) {
      details.put("kind", kind);
    }
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    if (!resource.group().isEmpty()) {
      details.put("group", resource.group());
    }
    return details;
  }
}
