package io.gpudra.controller.group;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/** Where a group fits. */
public sealed interface GroupAnswer {

  /** All members fit at once on these nodes. */
  record Fits(ImmutableMap<String, ImmutableList<GroupPart>> byNode) implements GroupAnswer {}

  /**
   * Not all members fit at once.
   *
   * @param fitting the number of members that fit at once
   * @param shortest a kind of member of which too few fit
   */
  record DoesNotFit(int fitting, MemberKind shortest) implements GroupAnswer {}

  /**
   * The members ask for too many combinations of devices.
   *
   * @param fitting a number of members that fit at once; there may be more
   */
  record Undecided(int fitting) implements GroupAnswer {}
}
