package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.TextPosition;

/**
 * A problem in a text.
 *
 * @param line from 1
 * @param column from 1
 * @param kind of the object; empty if the text cannot be parsed
 * @param namespace empty if the object has none
 * @param name empty if the object has none
 * @param path of the field, empty for the whole object
 * @param text the message, which mostly begins with the path
 */
public record LintFinding(
    String file,
    int line,
    int column,
    String kind,
    String namespace,
    String name,
    String path,
    String text) {

  static LintFinding of(LintObject lintObject, ObjectProblem problem) {
    TextPosition textPosition = lintObject.root().at(problem.path());
    return new LintFinding(
        lintObject.source().name(),
        textPosition.line(),
        textPosition.column(),
        lintObject.kindName(),
        lintObject.namespace(),
        lintObject.name(),
        problem.path(),
        problem.text());
  }

  /** A finding for an object of a kind that is not checked. */
  static LintFinding of(ManifestText manifestText, LocatedValue object, ObjectProblem problem) {
    TextPosition textPosition = object.at(problem.path());
    JsonNode metadata = object.value().path("metadata");
    return new LintFinding(
        manifestText.name(),
        textPosition.line(),
        textPosition.column(),
        object.value().path("kind").asText(),
        metadata.path("namespace").asText(),
        metadata.path("name").asText(),
        problem.path(),
        problem.text());
  }

  static LintFinding of(ManifestText manifestText, TextPosition textPosition, String text) {
    return new LintFinding(
        manifestText.name(), textPosition.line(), textPosition.column(), "", "", "", "", text);
  }

  /** Kind, namespace and name of the object. */
  public String object() {
    String full = namespace.isEmpty() ? name : namespace + "/" + name;
    return full.isEmpty() ? kind : kind + " " + full;
  }
}
