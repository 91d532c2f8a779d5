package io.gpudra.controller.client.watch;

import com.google.common.primitives.Longs;

/** Compares resourceVersions, which every known server counts in one sequence for all objects. */
public final class ResourceVersions {

  private ResourceVersions() {}

  /**
   * Whether {@code version} is later than {@code other}; also true for unequal ones that are no
   * numbers.
   */
  public static boolean later(String version, String other) {
    Long mine = Longs.tryParse(version);
    Long theirs = Longs.tryParse(other);
    return (mine == null || theirs == null) ? !version.equals(other) : mine > theirs;
  }
}
