package io.gpudra.process;

import java.util.HashSet;
import java.util.Set;

/**
 * The values of a label that users choose, for a metric that grows as long as the process lives:
 * the first {@value LabelledCounter#MAX} values keep their names, all later ones are {@value
 * LabelledCounter#OTHER}.
 */
public final class LabelValues {
  private final Set<String> named = new HashSet<>();

  /** The label to show for the value. */
  public synchronized String of(String value) {
    if (named.size() < LabelledCounter.MAX) {
      named.add(value);
    }
    return named.contains(value) ? value : LabelledCounter.OTHER;
  }
}
