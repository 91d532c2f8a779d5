package io.gpudra.simulator.store;

import java.util.OptionalLong;

/**
 * What part of a collection is wanted.
 *
 * @param namespace empty for all
 * @param from first key of the page
 * @param limit 0 for no limit
 * @param revision the state to show; empty for the newest
 */
public record PageRequest(String namespace, Key from, int limit, OptionalLong revision) {

  /** Everything of a namespace, or of all when empty, as it is now. */
  public static PageRequest all(String namespace) {
    return new PageRequest(namespace, new Key(namespace, ""), 0, OptionalLong.empty());
  }
}
