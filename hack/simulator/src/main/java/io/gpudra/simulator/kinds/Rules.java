package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problems;
import java.util.Optional;

/** What a kind demands of its objects beyond what all kinds do. Pure. */
public interface Rules {
  /** A kind without demands of its own. */
  Rules NONE = new Rules() {};

  /**
   * A write under examination.
   *
   * @param old empty for a create
   * @param status whether it came through the status subresource
   */
  record Write(ObjectNode next, Optional<ObjectNode> old, boolean status) {}

  /** Fills in what a creator left out and takes away what a creator may not set. */
  default void prepareCreate(ObjectNode object) {}

  /** Same for a write to an existing object, status or not. */
  default void prepareUpdate(ObjectNode next, ObjectNode old) {}

  /** Finds what is wrong with the write. */
  default void check(Write write, Problems problems) {}

  /** Why a body cannot even be read; a POST or PUT is answered 400, a PATCH 422. */
  default Optional<String> undecodable(ObjectNode body) {
    return Optional.empty();
  }
}
