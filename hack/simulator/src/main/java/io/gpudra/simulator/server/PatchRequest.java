package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A PATCH.
 *
 * @param force of an apply: take fields from other managers
 */
public record PatchRequest(Type type, JsonNode body, boolean force) {

  /** How the body is meant. */
  public enum Type {
    JSON,
    MERGE,
    STRATEGIC,
    APPLY
  }
}
