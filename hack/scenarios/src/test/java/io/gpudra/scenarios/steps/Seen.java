package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.dra.facts.ClaimFacts;

/** A claim at one revision; the object is read only. */
record Seen(ClaimFacts facts, ObjectNode object, long revision) {

  static Seen of(ObjectNode object) {
    return new Seen(
        Facts.claim(object), object, object.path("metadata").path("resourceVersion").asLong());
  }

  boolean later(Seen other) {
    return revision > other.revision;
  }

  boolean sameUid(Seen other) {
    return facts.uid().equals(other.facts.uid());
  }
}
