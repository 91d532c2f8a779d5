package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.lint.object.Kind;
import io.gpudra.controller.lint.text.Located;

/**
 * An object in a text that is looked at.
 *
 * @param namespace empty for objects of the cluster, and where it is not known
 * @param name empty when the object does not say it
 */
record Subject(Source source, Located root, Kind kind, String namespace, String name) {

  String kindName() {
    return kind.text();
  }

  /** The object itself. */
  JsonNode json() {
    return root.value();
  }

  /** Where the spec of a claim is, in a claim or a template. */
  String claimSpec() {
    return kind == Kind.TEMPLATE ? "spec.spec" : "spec";
  }

  /** What is at the path, whose names have no dots; missing when it is not there. */
  JsonNode part(String path) {
    return json().at("/" + path.replace('.', '/'));
  }
}
