package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Problem;
import java.util.List;
import java.util.Optional;

/** What a kind demands of its objects beyond what all kinds do. Pure. */
public interface Rules {
  /** A kind without demands of its own. */
  Rules NONE = new Rules() {};

  /** Fills in what a creator left out and takes away what a creator may not set. */
  default void prepareCreate(ObjectNode object) {}

  /** Same for a write to an existing object, status or not. */
  default void prepareUpdate(ObjectNode next, ObjectNode old) {}

  /** What is wrong with the write. */
  default List<Problem> problems(Write write) {
    return List.of();
  }

  /** Why a body cannot even be read; a POST or PUT is answered 400, a PATCH 422. */
  default Optional<String> undecodable(ObjectNode body) {
    return Optional.empty();
  }

  /**
   * Removes the fields nobody knows.
   *
   * @return their paths, such as {@code spec.cuont}
   */
  default List<String> prune(ObjectNode object) {
    return List.of();
  }
}
