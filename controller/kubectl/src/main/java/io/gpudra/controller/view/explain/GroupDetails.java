package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * The group of a pod that waits.
 *
 * @param problems the reasons why the group cannot start, a sentence each
 * @param present members at their gates
 * @param needed members that must be there; 0 if it is unknown
 * @param room empty before all are there
 */
public record GroupDetails(
    String name, ImmutableList<String> problems, int present, int needed, Optional<Room> room) {

  /**
   * The room for members that have no devices.
   *
   * @param fitting members that fit at once
   * @param searched all members that need devices
   * @param decided whether no more members fit
   * @param shortest a member for which there is too little room
   */
  public record Room(int fitting, int searched, boolean decided, Optional<String> shortest) {}

  static GroupDetails wrong(String name, String problem) {
    return new GroupDetails(name, ImmutableList.of(problem), 0, 0, Optional.empty());
  }

  static GroupDetails atGates(String name, int present, int needed) {
    return new GroupDetails(name, ImmutableList.of(), present, needed, Optional.empty());
  }
}
