package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Kinds;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What tells clients which kinds there are, with OpenAPI as far as kubectl needs it. */
record Discovery(Kinds kinds) {
  private static final ObjectNode VERSION =
      Json.object("major", "1", "minor", "30", "gitVersion", "v1.30.14", "platform", "linux/amd64");
  private static final ObjectNode CORE =
      Json.object("kind", "APIVersions", "versions", List.of("v1"));
  private static final String OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  private static final List<String> VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  /** The answer for a path that is not about objects. */
  Optional<Reply> find(List<String> path) {
    String joined = String.join("/", path);
    return switch (joined) {
      case "healthz", "readyz", "livez" -> Optional.of(Reply.text(200, "ok"));
      case "version" -> Optional.of(Reply.json(200, VERSION));
      case "api" -> Optional.of(Reply.json(200, CORE));
      case "apis" -> Optional.of(Reply.json(200, groups()));
      case "openapi/v3" -> Optional.of(Reply.json(200, schemaIndex()));
      default -> below(path, joined).map(body -> Reply.json(200, body));
    };
  }

  private Optional<ObjectNode> below(List<String> path, String joined) {
    if (joined.startsWith("openapi/v3/")) {
      List<Kind> found = resources(joined.substring("openapi/v3/".length()));
      return Optional.of(found).filter(kinds -> !kinds.isEmpty()).map(Discovery::schemas);
    }
    if (path.size() == 2 && path.get(0).equals("apis")) {
      return Optional.of(path.get(1))
          .filter(name -> !versions(name).isEmpty())
          .map(name -> group(name).put("kind", "APIGroup").put("apiVersion", "v1"));
    }
    List<Kind> found = resources(joined);
    return Optional.of(found).filter(kinds -> !kinds.isEmpty()).map(Discovery::resourceList);
  }

  private List<Kind> resources(String path) {
    return kinds.all().stream().filter(kind -> prefix(kind).equals(path)).toList();
  }

  private static String prefix(Kind kind) {
    return (kind.resource().group().isEmpty() ? "api/" : "apis/") + kind.resource().apiVersion();
  }

  private ObjectNode groups() {
    ObjectNode list = Json.object("kind", "APIGroupList", "apiVersion", "v1");
    Stream<String> names = kinds.all().stream().map(kind -> kind.resource().group()).distinct();
    ArrayNode groups = list.putArray("groups");
    names.filter(name -> !name.isEmpty()).forEach(name -> groups.add(group(name)));
    return list;
  }

  private List<String> versions(String group) {
    return kinds.all().stream()
        .filter(kind -> kind.resource().group().equals(group))
        .map(kind -> kind.resource().version())
        .distinct()
        .toList();
  }

  private ObjectNode group(String name) {
    ObjectNode group = Json.object("name", name);
    ArrayNode versions = group.putArray("versions");
    for (String version : versions(name)) {
      ObjectNode entry = Json.object("groupVersion", name + "/" + version, "version", version);
      versions.add(entry);
      group.set("preferredVersion", entry);
    }
    return group;
  }

  private static ObjectNode resourceList(List<Kind> kinds) {
    ObjectNode list = Json.object("kind", "APIResourceList", "apiVersion", "v1");
    list.put("groupVersion", kinds.get(0).resource().apiVersion());
    ArrayNode resources = list.putArray("resources");
    for (Kind kind : kinds) {
      ObjectNode entry = resource(kind, "", VERBS).put("singularName", kind.names().singular());
      putUnlessEmpty(entry, "shortNames", kind.names().shortNames());
      putUnlessEmpty(entry, "categories", kind.names().categories());
      resources.add(entry);
      if (kind.traits().status()) {
        resources.add(resource(kind, "/status", List.of("get", "patch", "update")));
      }
    }
    return list;
  }

  private static void putUnlessEmpty(ObjectNode entry, String field, List<String> texts) {
    if (!texts.isEmpty()) {
      entry.set(field, Json.MAPPER.valueToTree(texts));
    }
  }

  private static ObjectNode resource(Kind kind, String subresource, List<String> verbs) {
    ObjectNode entry = Json.object("kind", kind.kind(), "singularName", "", "verbs", verbs);
    return entry
        .put("name", kind.resource().plural() + subresource)
        .put("namespaced", kind.traits().namespaced());
  }

  private ObjectNode schemaIndex() {
    ObjectNode index = Json.object();
    ObjectNode paths = index.putObject("paths");
    for (Kind kind : kinds.all()) {
      String path = prefix(kind);
      // Clients cache by the hash, so it must change with the schemas.
      String url = "/openapi/v3/" + path + "?hash=" + resources(path).hashCode();
      paths.set(path, Json.object("serverRelativeURL", url));
    }
    return index;
  }

  /** Schemas, and the operations that tell kubectl that the server validates fields. */
  private static ObjectNode schemas(List<Kind> kinds) {
    ObjectNode paths = Json.object();
    ObjectNode schemas = Json.object();
    for (Kind kind : kinds) {
      Resource resource = kind.resource();
      ObjectNode gvk = Json.object("group", resource.group(), "version", resource.version());
      gvk.put("kind", kind.kind());
      ObjectNode patch = Json.object("x-kubernetes-action", "patch");
      patch.set("x-kubernetes-group-version-kind", gvk);
      patch.putArray("parameters").add(Json.object("name", "fieldValidation", "in", "query"));
      String namespace = kind.traits().namespaced() ? "namespaces/{namespace}/" : "";
      String path = "/" + prefix(kind) + "/" + namespace + resource.plural() + "/{name}";
      paths.set(path, Json.object("patch", patch));
      ObjectNode schema = kind.schema().deepCopy();
      schemas.set(OBJECT_META, referred(schema.withObjectProperty("properties")));
      schema.put("type", "object").putArray("x-kubernetes-group-version-kind").add(gvk);
      String id = resource.group().isEmpty() ? "core" : resource.group();
      schemas.set(id + "." + resource.version() + "." + kind.kind(), schema);
    }
    ObjectNode info = Json.object("title", "Kubernetes", "version", "v1.30.14");
    ObjectNode document = Json.object("openapi", "3.0.0", "info", info, "paths", paths);
    document.set("components", Json.object("schemas", schemas));
    return document;
  }

  /** Takes the schema of metadata out and leaves a reference to it. */
  private static ObjectNode referred(ObjectNode properties) {
    ObjectNode metadata = properties.withObjectProperty("metadata");
    ObjectNode reference = Json.object("$ref", "#/components/schemas/" + OBJECT_META);
    ObjectNode left = Json.object("description", metadata.remove("description"));
    properties.set("metadata", left.set("allOf", Json.MAPPER.createArrayNode().add(reference)));
    return metadata;
  }
}
