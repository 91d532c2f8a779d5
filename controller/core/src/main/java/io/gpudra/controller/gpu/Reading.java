package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Alternative;
import java.util.Optional;

/**
 * What parameters say by themselves.
 *
 * @param problems all that is wrong, each a sentence with the field's path
 * @param fault of what kind that is; absent when nothing is wrong
 * @param wanted what is asked for, nothing when something is wrong; what any node could serve of it
 *     counts, else what may be served, else the first
 * @param tellsNodesApart whether nodes with the same hardware may be judged differently
 */
public record Reading(
    ImmutableList<String> problems,
    Optional<Fault> fault,
    ImmutableList<ImmutableList<Alternative>> wanted,
    boolean tellsNodesApart) {

  /** What is wrong. */
  public enum Fault {
    /** A value, whatever the others are. */
    FIELD,
    /** A condition. */
    EXPRESSION,
    /** Values that exclude each other. */
    CONFLICT
  }

  static Reading faulty(Fault fault, ImmutableList<String> problems) {
    return new Reading(problems, Optional.of(fault), ImmutableList.of(), false);
  }
}
