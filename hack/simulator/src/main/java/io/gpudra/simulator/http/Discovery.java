package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Kinds;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What tells clients which kinds there are, with OpenAPI as far as kubectl needs it. */
record Discovery(Kinds kinds) {
  private static final List<String> VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  /** The answer for a path that is not about objects. */
  Optional<Reply> find(List<String> path) {
    String joined = String.join("/", path);
    return switch (joined) {
      case "healthz", "readyz", "livez" -> Optional.of(Reply.text(200, "ok"));
      case "version" -> Optional.of(Reply.json(200, version()));
      case "api" -> Optional.of(Reply.json(200, coreVersions()));
      case "apis" -> Optional.of(Reply.json(200, groups()));
      case "openapi/v3" -> Optional.of(Reply.json(200, schemaIndex()));
      default -> below(path, joined);
    };
  }

  private Optional<Reply> below(List<String> path, String joined) {
    if (joined.startsWith("openapi/v3/")) {
      return resources(joined.substring("openapi/v3/".length()))
          .map(k -> Reply.json(200, schemas(k)));
    }
    if (path.size() == 2 && path.get(0).equals("apis")) {
      return Optional.of(path.get(1))
          .filter(group -> versions(group).iterator().hasNext())
          .map(
              group ->
                  Reply.json(200, group(group).put("kind", "APIGroup").put("apiVersion", "v1")));
    }
    return resources(joined).map(k -> Reply.json(200, resourceList(k)));
  }

  private Optional<List<Kind>> resources(String path) {
    List<Kind> found = kinds.all().stream().filter(kind -> prefix(kind).equals(path)).toList();
    return found.isEmpty() ? Optional.empty() : Optional.of(found);
  }

  private static String prefix(Kind kind) {
    return (kind.resource().group().isEmpty() ? "api/" : "apis/") + kind.resource().apiVersion();
  }

  private static ObjectNode version() {
    return Json.object()
        .put("major", "1")
        .put("minor", "30")
        .put("gitVersion", "v1.30.14")
        .put("platform", "linux/amd64");
  }

  private static ObjectNode coreVersions() {
    ObjectNode versions = Json.object().put("kind", "APIVersions");
    versions.putArray("versions").add("v1");
    versions.putArray("serverAddressByClientCIDRs");
    return versions;
  }

  private ObjectNode groups() {
    ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
    ArrayNode groups = list.putArray("groups");
    Set<String> names = new TreeSet<>();
    kinds.all().forEach(kind -> names.add(kind.resource().group()));
    names.remove("");
    names.forEach(name -> groups.add(group(name)));
    return list;
  }

  private Set<String> versions(String group) {
    Set<String> versions = new TreeSet<>();
    for (Kind kind : kinds.all()) {
      if (kind.resource().group().equals(group)) {
        versions.add(kind.resource().version());
      }
    }
    return versions;
  }

  private ObjectNode group(String name) {
    ObjectNode group = Json.object().put("name", name);
    ArrayNode versions = group.putArray("versions");
    for (String version : versions(name)) {
      ObjectNode entry = versions.addObject();
      entry.put("groupVersion", name + "/" + version).put("version", version);
      group.set("preferredVersion", entry);
    }
    return group;
  }

  private static ObjectNode resourceList(List<Kind> kinds) {
    ObjectNode list = Json.object().put("kind", "APIResourceList").put("apiVersion", "v1");
    list.put("groupVersion", kinds.get(0).resource().apiVersion());
    ArrayNode resources = list.putArray("resources");
    for (Kind kind : kinds) {
      ObjectNode entry = resource(kind, resources.addObject(), "");
      VERBS.forEach(entry.withArrayProperty("verbs")::add);
      kind.names().shortNames().forEach(entry.withArrayProperty("shortNames")::add);
      kind.names().categories().forEach(entry.withArrayProperty("categories")::add);
      if (kind.traits().status()) {
        ObjectNode status = resource(kind, resources.addObject(), "/status");
        status.putArray("verbs").add("get").add("patch").add("update");
      }
    }
    return list;
  }

  private static ObjectNode resource(Kind kind, ObjectNode entry, String subresource) {
    return entry
        .put("name", kind.resource().plural() + subresource)
        .put("singularName", subresource.isEmpty() ? kind.names().singular() : "")
        .put("namespaced", kind.traits().namespaced())
        .put("kind", kind.kind());
  }

  private ObjectNode schemaIndex() {
    ObjectNode index = Json.object();
    ObjectNode paths = index.putObject("paths");
    for (Kind kind : kinds.all()) {
      String path = prefix(kind);
      // Clients cache by the hash, so it must change with the schemas.
      int hash = resources(path).orElseThrow().hashCode();
      paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash);
    }
    return index;
  }

  /** Schemas for explain, and the operations that tell kubectl that the server validates fields. */
  private static ObjectNode schemas(List<Kind> kinds) {
    ObjectNode document = Json.object().put("openapi", "3.0.0");
    document.putObject("info").put("title", "Kubernetes").put("version", "v1.30.14");
    ObjectNode paths = document.putObject("paths");
    ObjectNode schemas = document.putObject("components").putObject("schemas");
    for (Kind kind : kinds) {
      ObjectNode gvk = Json.object().put("group", kind.resource().group());
      gvk.put("version", kind.resource().version()).put("kind", kind.kind());
      ObjectNode patch =
          paths.putObject("/" + prefix(kind) + "/" + path(kind) + "/{name}").putObject("patch");
      patch.put("x-kubernetes-action", "patch").set("x-kubernetes-group-version-kind", gvk);
      patch.putArray("parameters").addObject().put("name", "fieldValidation").put("in", "query");
      ObjectNode schema = kind.schema().deepCopy();
      schema.put("type", "object").putArray("x-kubernetes-group-version-kind").add(gvk);
      String id = (kind.resource().group().isEmpty() ? "core" : kind.resource().group());
      schemas.set(id + "." + kind.resource().version() + "." + kind.kind(), schema);
    }
    return document;
  }

  private static String path(Kind kind) {
    String namespace = kind.traits().namespaced() ? "namespaces/{namespace}/" : "";
    return namespace + kind.resource().plural();
  }
}
