package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.lint.object.ResourceApi;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.ValueBudget;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.controller.lint.yaml.YamlDocuments.ParseProblem;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the objects of one text to check, and problems that prevent finding others. */
final class LintObjectReader {

  private final ManifestText manifestText;
  private final String defaultNamespace;
  private final List<LintObject> found = new ArrayList<>();
  private final List<LintFinding> problems = new ArrayList<>();
  private int ofNoKind;

  private LintObjectReader(ManifestText manifestText, String defaultNamespace) {
    this.manifestText = manifestText;
    this.defaultNamespace = defaultNamespace;
  }

  /**
   * Objects of the text.
   *
   * @param defaultNamespace for objects without a namespace
   * @param budget of all texts
   */
  static LintObjectReader of(
      ManifestText manifestText, String defaultNamespace, ValueBudget budget) {
    LintObjectReader lintObjectReader = new LintObjectReader(manifestText, defaultNamespace);
    YamlDocuments read = YamlDocuments.of(manifestText.text(), budget);
    read.broken().forEach(parseProblem -> lintObjectReader.broken(parseProblem));
    read.documents().forEach(lintObjectReader::document);
    return lintObjectReader;
  }

  ImmutableList<LintObject> found() {
    return ImmutableList.copyOf(found);
  }

  /** Number of checked objects, including those of unknown kinds. */
  int checkedCount() {
    return found.size() + ofNoKind;
  }

  ImmutableList<LintFinding> problems() {
    return ImmutableList.copyOf(problems);
  }

  private void broken(ParseProblem parseProblem) {
    String hint =
        manifestText.text().contains("{{")
            ? "; if it is a template of Helm, check the output of helm template"
            : "";
    problems.add(
        LintFinding.of(manifestText, parseProblem.textPosition(), parseProblem.text() + hint));
  }

  /** Duplicate keys are only reported for objects that are checked. */
  private void document(Document document) {
    int before = found.size() + problems.size();
    object(document.root());
    if (found.size() + problems.size() > before) {
      document
          .doubles()
          .forEach(
              one -> problems.add(LintFinding.of(manifestText, one.textPosition(), one.text())));
    }
  }

  private void object(LocatedValue object) {
    String apiVersion = text(object, "apiVersion");
    String kind = text(object, "kind");
    LocatedValue items = object.fields().get("items");
    if (items != null && kind.endsWith("List")) {
      items.items().forEach(item -> one(item, text(item, "apiVersion"), text(item, "kind")));
    } else {
      one(object, apiVersion, kind);
    }
  }

  private void one(LocatedValue object, String apiVersion, String kind) {
    Optional<LintKind> known = LintKind.of(apiVersion, kind);
    if (known.isPresent()) {
      found.add(subject(object, known.get()));
    } else {
      unknown(object, apiVersion, kind);
    }
  }

  private void unknown(LocatedValue object, String apiVersion, String kind) {
    List<String> kinds = LintKind.ofGroup().map(LintKind::text).toList();
    boolean ours = apiVersion.equals(GpuApi.GROUP) || apiVersion.startsWith(GpuApi.GROUP + "/");
    if (apiVersion.equals(GpuApi.GROUP_VERSION)) {
      wrong(object, "kind", refused(kind, NameSuggestion.hint(kind, kinds)));
    } else if (ours) {
      wrong(object, "apiVersion", refused(apiVersion, "served versions: " + GpuApi.VERSION));
    } else if (apiVersion.isEmpty() && kinds.contains(kind)) {
      wrong(object, "apiVersion", "Required value: \"%s\"".formatted(GpuApi.GROUP_VERSION));
    } else {
      ResourceApi.problem(apiVersion, kind).ifPresent(problem -> wrong(object, problem));
    }
  }

  private static String refused(String value, String hint) {
    return "Unsupported value: \"%s\": %s".formatted(ProblemList.shortened(value), hint);
  }

  private void wrong(LocatedValue object, String path, String problem) {
    wrong(object, ObjectProblem.at(path, problem));
  }

  private void wrong(LocatedValue object, ObjectProblem objectProblem) {
    problems.add(LintFinding.of(manifestText, object, objectProblem));
    ofNoKind++;
  }

  private LintObject subject(LocatedValue object, LintKind kind) {
    JsonNode metadata = object.value().path("metadata");
    String namespace = metadata.path("namespace").asText();
    return new LintObject(
        manifestText,
        object,
        kind,
        kind.isOfCluster() ? "" : namespace.isEmpty() ? defaultNamespace : namespace,
        metadata.path("name").asText());
  }

  private static String text(LocatedValue object, String field) {
    return object.value().path(field).asText();
  }
}
