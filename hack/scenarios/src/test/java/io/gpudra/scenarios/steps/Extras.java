package io.gpudra.scenarios.steps;

import com.google.errorprone.annotations.Immutable;

/**
 * What a world has beside ordinary pods.
 *
 * @param gates pods wait at gates, alone and in groups
 * @param quotas namespaces have quotas
 * @param streams at last, other pods come without end while a group waits
 */
@Immutable
record Extras(boolean gates, boolean quotas, boolean streams) {
  static final Extras NONE = new Extras(false, false, false);

  /** Not left to chance: a history without them stays as it was before there were any. */
  static Extras of(long seed) {
    return new Extras(seed % 2 == 0, seed % 4 == 0, seed % 8 == 2);
  }
}
