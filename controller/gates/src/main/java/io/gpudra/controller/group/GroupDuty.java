package io.gpudra.controller.group;

/** What a group that does not fit is to do. */
sealed interface GroupDuty {

  /** To wait for its turn. */
  record Wait() implements GroupDuty {}

  /** To make a plan. */
  record Plan() implements GroupDuty {}

  /** To make another plan, unless its nodes still are those of its plan. */
  record Check(ReservedNodes nodes) implements GroupDuty {}
}
