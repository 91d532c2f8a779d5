package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.lint.object.Told;
import io.gpudra.controller.lint.text.Located;
import io.gpudra.controller.lint.text.Place;

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
public record Finding(
    String file,
    int line,
    int column,
    String kind,
    String namespace,
    String name,
    String path,
    String text) {

  static Finding of(Subject subject, Told told) {
    Place place = subject.root().at(told.path());
    return new Finding(
        subject.source().name(),
        place.line(),
        place.column(),
        subject.kindName(),
        subject.namespace(),
        subject.name(),
        told.path(),
        told.text());
  }

  /** For an object of a kind that is not checked. */
  static Finding of(Source source, Located object, Told told) {
    Place place = object.at(told.path());
    JsonNode metadata = object.value().path("metadata");
    return new Finding(
        source.name(),
        place.line(),
        place.column(),
        object.value().path("kind").asText(),
        metadata.path("namespace").asText(),
        metadata.path("name").asText(),
        told.path(),
        told.text());
  }

  static Finding of(Source source, Place place, String text) {
    return new Finding(source.name(), place.line(), place.column(), "", "", "", "", text);
  }

  /** Kind, namespace and name of the object. */
  public String object() {
    String full = namespace.isEmpty() ? name : namespace + "/" + name;
    return full.isEmpty() ? kind : kind + " " + full;
  }
}
