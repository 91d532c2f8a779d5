package io.gpudra.controller.manifest;

/**
 * Counts the objects of all files together, including pods and their generated claims, before they
 * are created. Confined to one thread.
 */
final class ManifestCount {
  /** Enough for 10,000 pods with a claim each. */
  private static final long MAX = 25_000;

  private long objects;

  /**
   * Counts further objects.
   *
   * @param what the source of the objects
   * @throws IllegalArgumentException if there are too many
   */
  void add(String what, long more) {
    objects += more;
    if (isOver()) {
      throw new IllegalArgumentException(
          "%s: with it the files have %d objects, with pods and their claims; the maximum is %d"
              .formatted(what, objects, MAX));
    }
  }

  /** Whether there were too many. */
  boolean isOver() {
    return objects > MAX;
  }
}
