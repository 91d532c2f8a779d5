package io.gpudra.controller.manifest;

/**
 * What is to be tried of all files together, pods and the claims that are made for them among it:
 * counted before one of them is made. Confined to one thread.
 */
final class Tally {
  /**
   * Room for 10,000 pods with a claim each: whoever wants to know more counts in the wrong unit.
   */
  private static final long MOST = 25_000;

  private long objects;

  /**
   * Counts some more.
   *
   * @param what made them
   * @throws IllegalArgumentException when these are too many
   */
  void add(String what, long more) {
    objects += more;
    if (isOver()) {
      throw new IllegalArgumentException(
          "%s: with it the files make %d objects, pods and their claims counted; at most %d are tried"
              .formatted(what, objects, MOST));
    }
  }

  /** Whether there were too many. */
  boolean isOver() {
    return objects > MOST;
  }
}
