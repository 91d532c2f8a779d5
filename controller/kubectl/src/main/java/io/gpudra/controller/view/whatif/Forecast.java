package io.gpudra.controller.view.whatif;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * What would become of one object.
 *
 * @param kind such as {@code Pod}; {@code ResourceClaim} for one that is tried without a pod
 * @param wanted pods, or 1 for a claim
 * @param placed in the order in which they were tried
 * @param waiting absent when none is known to wait
 * @param untried of those that are wanted; there was no time for them
 * @param notConsidered paths of the pod's spec that may keep it from nodes all the same
 */
public record Forecast(
    String kind,
    String namespace,
    String name,
    int wanted,
    ImmutableList<Placed> placed,
    Optional<Waiting> waiting,
    int untried,
    ImmutableList<String> notConsidered) {

  /** Whether all that is wanted is placed. */
  public boolean fits() {
    return waiting.isEmpty() && untried == 0;
  }

  /**
   * One that gets what it wants.
   *
   * @param name of the pod or claim
   * @param node where it was tried; empty when it needs no device of this driver
   * @param suitable nodes any of which would have done; kube-scheduler chooses for a pod
   * @param devices by claim, as it would be on that node; nothing of what was granted before
   */
  public record Placed(
      String name,
      Optional<String> node,
      ImmutableList<String> suitable,
      ImmutableMap<String, ImmutableList<String>> devices) {}

  /**
   * The first one that does not; those after it want the same.
   *
   * @param texts why, a sentence each
   * @param nodes why not there, by node
   * @param remedy absent when no release is to be looked for
   */
  public record Waiting(
      String name,
      ImmutableList<String> texts,
      ImmutableMap<String, String> nodes,
      Optional<Remedy> remedy) {}
}
