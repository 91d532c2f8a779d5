package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.store.Store;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request for objects.
 *
 * @param verb as audit logs name it: get, list, watch, create, update, patch, delete,
 *     deletecollection
 * @param key both parts may be empty
 * @param subresource empty for the main resource
 * @param query first value of each parameter
 * @param headers by lower case name
 */
record Call(
    String verb,
    Resource resource,
    Store.Key key,
    String subresource,
    Map<String, String> query,
    Map<String, String> headers) {

  /** Reads a path below {@code /api} or {@code /apis}. */
  static Call parse(
      String method, List<String> path, Map<String, String> query, Map<String, String> headers) {
    int start = path.get(0).equals("api") ? 2 : 3;
    if (path.size() <= start) {
      throw Refusal.unknownPath();
    }
    String group = start == 2 ? "" : path.get(1);
    String version = path.get(start - 1);
    List<String> rest = path.subList(start, path.size());
    boolean inNamespace =
        rest.get(0).equals("namespaces")
            && rest.size() > 2
            && !rest.get(2).equals("status")
            && !rest.get(2).equals("finalize");
    String namespace = inNamespace ? rest.get(1) : "";
    List<String> tail = inNamespace ? rest.subList(2, rest.size()) : rest;
    String name = tail.size() > 1 ? tail.get(1) : "";
    String sub = tail.size() > 2 ? tail.get(2) : "";
    String verb = verb(method, !name.isEmpty(), query);
    Resource resource = new Resource(group, version, tail.get(0));
    return new Call(verb, resource, new Store.Key(namespace, name), sub, query, headers);
  }

  private static String verb(String method, boolean named, Map<String, String> query) {
    String watch = query.getOrDefault("watch", "false");
    return switch (method) {
      case "GET" -> {
        boolean watches = watch.equals("true") || watch.equals("1");
        yield named ? "get" : watches ? "watch" : "list";
      }
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      case "DELETE" -> named ? "delete" : "deletecollection";
      default -> method.toLowerCase(Locale.ROOT);
    };
  }

  /** A resourceVersion as a number; 0 when it is empty. */
  static long revision(String text) {
    try {
      return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      String why = "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\"";
      throw (ApiError)
          Refusal.internal(why.formatted(text, text) + ": invalid syntax").initCause(e);
    }
  }

  /** A query parameter, or an empty text. */
  String param(String name) {
    return query.getOrDefault(name, "");
  }

  /** A header, or an empty text. */
  String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** Who owns the fields this request writes: fieldManager, or the client's name. */
  String manager() {
    String agent = header("user-agent");
    int slash = agent.indexOf('/');
    String client = slash < 0 ? agent : agent.substring(0, slash);
    String manager = param("fieldManager").isEmpty() ? client : param("fieldManager");
    return manager.isEmpty() ? "unknown" : manager;
  }

  boolean isDryRun(JsonNode options) {
    return param("dryRun").equals("All") || options.path("dryRun").path(0).asText().equals("All");
  }

  /** The resource with its subresource, such as {@code resourceclaims/status}. */
  String what() {
    return subresource.isEmpty() ? resource.plural() : resource.plural() + "/" + subresource;
  }
}
