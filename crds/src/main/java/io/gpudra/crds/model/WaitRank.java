package io.gpudra.crds.model;

import java.time.Instant;
import java.util.Comparator;

/**
 * The place of a pod or claim among those that wait: a higher priority comes first, then the longer
 * wait.
 *
 * @param priority of the pod
 * @param since the creation time of the pod, or of a claim that waits without one
 */
public record WaitRank(int priority, Instant since) implements Comparable<WaitRank> {

  /** After all others. */
  public static final WaitRank LAST = new WaitRank(Integer.MIN_VALUE, Instant.MAX);

  private static final Comparator<WaitRank> FIRST_SERVED =
      Comparator.comparingInt(WaitRank::priority).reversed().thenComparing(WaitRank::since);

  @Override
  public int compareTo(WaitRank other) {
    return FIRST_SERVED.compare(this, other);
  }
}
