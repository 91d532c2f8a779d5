package io.gpudra.controller.translate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.object.ParametersRefReader;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.crds.api.GpuApi;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The objects of all texts. A name is resolved to the object of the same text, else to the object
 * that all other texts agree on.
 */
public final class SourceObjects {
  /** The kind of classes of the version that this driver serves. */
  public static final String RESOURCE_CLASS = "ResourceClass";

  private static final JsonMapper JSON = new JsonMapper();

  private final ImmutableList<SourceObject> all;
  private final Map<Key, Map<String, SourceObject>> named = new HashMap<>();

  private record Key(String groupKind, String namespace, String name) {}

  /**
   * An object of a text.
   *
   * @param namespace empty for cluster-scoped objects, and if unknown
   * @param places the object in the text that was read, for the places of remarks
   */
  public record SourceObject(
      ManifestText source,
      Document document,
      LocatedValue root,
      LocatedValue places,
      String namespace) {

    static SourceObject of(ManifestText source, Document document, LocatedValue root) {
      String namespace = root.value().path("metadata").path("namespace").asText();
      return new SourceObject(source, document, root, root, namespace);
    }

    /** The same object, whose remarks have the places of another. */
    SourceObject placedAs(SourceObject other) {
      return new SourceObject(source, document, root, other.places(), namespace);
    }

    /** The group and version. */
    public String apiVersion() {
      return text("apiVersion");
    }

    /** The kind. */
    public String kind() {
      return text("kind");
    }

    /** The name; empty without. */
    public String name() {
      return root.value().path("metadata").path("name").asText();
    }

    /** Group and kind, without the version: {@code apps/Deployment}, {@code /Pod}. */
    public String groupKind() {
      int slash = apiVersion().indexOf('/');
      return (slash < 0 ? "" : apiVersion().substring(0, slash)) + "/" + kind();
    }

    /** Kind, namespace and name. */
    public String title() {
      return "%s %s%s".formatted(kind(), namespace.isEmpty() ? "" : namespace + "/", name());
    }

    /** Its value. */
    public JsonNode json() {
      return root.value();
    }

    /** The value at a path of names without dots. */
    public Optional<LocatedValue> at(String path) {
      Optional<LocatedValue> here = Optional.of(root);
      for (String name : path.split("\\.", -1)) {
        here = here.flatMap(value -> value.field(name));
      }
      return here;
    }

    /** The field of this name, which is there. */
    public LocatedValue field(String name) {
      return root.field(name).orElseThrow();
    }

    /** The path of the spec of a claim, or of the claims of a template. */
    public String claimSpec() {
      return kind().equals("ResourceClaimTemplate") ? "spec.spec" : "spec";
    }

    /** The spec of a claim, or of the claims of a template. */
    public LocatedValue claim() {
      return at(claimSpec()).orElse(root);
    }

    /** The reference to parameters of a claim, a template or a class; may be missing. */
    public JsonNode reference() {
      String spec = kind().equals(RESOURCE_CLASS) ? "" : "/" + claimSpec().replace('.', '/');
      return json().at(spec + "/parametersRef");
    }

    /** The spec; empty if it is no such one. */
    public <T> Optional<T> spec(Class<T> type) {
      try {
        return Optional.ofNullable(JSON.treeToValue(json().get("spec"), type));
      } catch (JsonProcessingException e) {
        return Optional.empty();
      }
    }

    /** Whether edits reach the object: it is a document by itself, without anchors. */
    boolean isEditable() {
      return document.editable() && document.root().equals(root);
    }

    private String text(String field) {
      return root.value().path(field).asText();
    }
  }

  SourceObjects(Collection<SourceObject> objects) {
    this.all = ImmutableList.copyOf(objects);
    for (SourceObject object : all) {
      Key key = new Key(object.groupKind(), object.namespace(), object.name());
      named
          .computeIfAbsent(key, any -> new LinkedHashMap<>())
          .putIfAbsent(object.source().name(), object);
    }
  }

  /** All objects, in their order. */
  public ImmutableList<SourceObject> all() {
    return all;
  }

  /** The objects of a kind, by group and kind. */
  public Stream<SourceObject> of(String groupKind) {
    return all.stream().filter(object -> object.groupKind().equals(groupKind));
  }

  /** The parameters that a claim, a template or a class names. */
  public Optional<SourceObject> parameters(SourceObject object) {
    JsonNode reference = object.reference();
    return ParametersRefReader.isOurs(reference)
        ? find(
            GpuApi.GROUP + "/" + reference.path("kind").asText(),
            object.kind().equals(RESOURCE_CLASS) ? "" : object.namespace(),
            reference.path("name").asText(),
            object.source())
        : Optional.empty();
  }

  /** The object of this name, as another one names it; in no namespace for a cluster's kind. */
  public Optional<SourceObject> find(
      String groupKind, String namespace, String name, ManifestText from) {
    Map<String, SourceObject> found =
        named.getOrDefault(new Key(groupKind, namespace, name), Map.of());
    SourceObject beside = found.get(from.name());
    return beside == null ? agreed(found.values()) : Optional.of(beside);
  }

  private static Optional<SourceObject> agreed(Collection<SourceObject> others) {
    return others.stream().map(SourceObject::json).distinct().count() == 1
        ? others.stream().findFirst()
        : Optional.empty();
  }
}
