package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.LocatedValue;

/**
 * An object of a text that is checked.
 *
 * @param namespace empty for cluster-scoped objects, and if unknown
 * @param name empty if the object has none
 */
record LintObject(
    ManifestText source, LocatedValue root, LintKind kind, String namespace, String name) {

  String kindName() {
    return kind.text();
  }

  /** The object itself. */
  JsonNode json() {
    return root.value();
  }

  /** Path of the claim spec in a claim or a template. */
  String claimSpec() {
    return kind == LintKind.TEMPLATE ? "spec.spec" : "spec";
  }

  /** The value at the path; the names in the path have no dots. May be missing. */
  JsonNode part(String path) {
    return json().at("/" + path.replace('.', '/'));
  }
}
