package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.Kind;
import io.gpudra.controller.lint.object.ResourceApi;
import io.gpudra.controller.lint.object.Told;
import io.gpudra.controller.lint.text.Located;
import io.gpudra.controller.lint.text.YamlDocuments;
import io.gpudra.controller.lint.text.YamlDocuments.Document;
import io.gpudra.controller.lint.text.YamlDocuments.Trouble;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.problem.Problems;
import io.gpudra.crds.api.problem.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the objects of one text to check, and problems that prevent finding others. */
final class Subjects {

  private final Source source;
  private final String defaultNamespace;
  private final List<Subject> found = new ArrayList<>();
  private final List<Finding> problems = new ArrayList<>();
  private int ofNoKind;

  private Subjects(Source source, String defaultNamespace) {
    this.source = source;
    this.defaultNamespace = defaultNamespace;
  }

  /**
   * Objects of the text.
   *
   * @param defaultNamespace for objects without a namespace
   */
  static Subjects of(Source source, String defaultNamespace) {
    Subjects subjects = new Subjects(source, defaultNamespace);
    YamlDocuments read = YamlDocuments.of(source.text());
    read.broken().forEach(trouble -> subjects.broken(trouble));
    read.documents().forEach(subjects::document);
    return subjects;
  }

  ImmutableList<Subject> found() {
    return ImmutableList.copyOf(found);
  }

  /** Number of checked objects, including those of unknown kinds. */
  int looked() {
    return found.size() + ofNoKind;
  }

  ImmutableList<Finding> problems() {
    return ImmutableList.copyOf(problems);
  }

  private void broken(Trouble trouble) {
    String hint =
        source.text().contains("{{")
            ? "; if it is a template of Helm, check the output of helm template"
            : "";
    problems.add(Finding.of(source, trouble.place(), trouble.text() + hint));
  }

  /** Duplicate keys are only reported for objects that are checked. */
  private void document(Document document) {
    int before = found.size() + problems.size();
    object(document.root());
    if (found.size() + problems.size() > before) {
      document.doubles().forEach(one -> problems.add(Finding.of(source, one.place(), one.text())));
    }
  }

  private void object(Located object) {
    String apiVersion = text(object, "apiVersion");
    String kind = text(object, "kind");
    Located items = object.fields().get("items");
    if (items != null && kind.endsWith("List")) {
      items.items().forEach(item -> one(item, text(item, "apiVersion"), text(item, "kind")));
    } else {
      one(object, apiVersion, kind);
    }
  }

  private void one(Located object, String apiVersion, String kind) {
    Optional<Kind> known = Kind.of(apiVersion, kind);
    if (known.isPresent()) {
      found.add(subject(object, known.get()));
    } else {
      unknown(object, apiVersion, kind);
    }
  }

  private void unknown(Located object, String apiVersion, String kind) {
    List<String> kinds = Kind.ofGroup().map(Kind::text).toList();
    boolean ours = apiVersion.equals(GpuApi.GROUP) || apiVersion.startsWith(GpuApi.GROUP + "/");
    if (apiVersion.equals(GpuApi.GROUP_VERSION)) {
      wrong(object, "kind", refused(kind, Suggestion.hint(kind, kinds)));
    } else if (ours) {
      wrong(object, "apiVersion", refused(apiVersion, "served versions: " + GpuApi.VERSION));
    } else if (apiVersion.isEmpty() && kinds.contains(kind)) {
      wrong(object, "apiVersion", "Required value: \"%s\"".formatted(GpuApi.GROUP_VERSION));
    } else {
      ResourceApi.problem(apiVersion, kind).ifPresent(told -> wrong(object, told));
    }
  }

  private static String refused(String value, String hint) {
    return "Unsupported value: \"%s\": %s".formatted(Problems.shortened(value), hint);
  }

  private void wrong(Located object, String path, String problem) {
    wrong(object, Told.at(path, problem));
  }

  private void wrong(Located object, Told told) {
    problems.add(Finding.of(source, object, told));
    ofNoKind++;
  }

  private Subject subject(Located object, Kind kind) {
    JsonNode metadata = object.value().path("metadata");
    String namespace = metadata.path("namespace").asText();
    return new Subject(
        source,
        object,
        kind,
        kind.isOfCluster() ? "" : namespace.isEmpty() ? defaultNamespace : namespace,
        metadata.path("name").asText());
  }

  private static String text(Located object, String field) {
    return object.value().path(field).asText();
  }
}
