package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * The predicted result for one object.
 *
 * @param kind such as {@code Pod}; {@code ResourceClaim} for one that is tried without a pod, and
 *     {@code Group} for all pods of a group
 * @param wanted pods, or 1 for a claim
 * @param placed in the order in which they were tried
 * @param waiting empty if all that were tried fit
 * @param untried number of pods that were not tried before the time limit
 * @param notConsidered paths of the pod's spec that may exclude nodes but are not evaluated
 */
public record DryRunResult(
    String kind,
    String namespace,
    String name,
    int wanted,
    ImmutableList<Placed> placed,
    Optional<Waiting> waiting,
    int untried,
    ImmutableList<String> notConsidered) {
  static final String GROUP = "Group";

  /** Whether the pods get devices together or not at all. */
  public boolean isGroup() {
    return kind.equals(GROUP);
  }

  /** Whether all pods or claims are placed. */
  public boolean fits() {
    return waiting.isEmpty() && untried == 0;
  }

  /**
   * A pod or claim that fits.
   *
   * @param name of the pod or claim
   * @param node where it was tried; empty if it needs no device of this driver
   * @param suitable all nodes that fit; kube-scheduler chooses one for a pod
   * @param devices by claim, on that node; without earlier allocations
   */
  public record Placed(
      String name,
      Optional<String> node,
      ImmutableList<String> suitable,
      ImmutableMap<String, ImmutableList<String>> devices) {}

  /**
   * The first pod or claim that does not fit; the following ones are equal.
   *
   * @param texts the reasons, a sentence each
   * @param nodes the reasons by node
   * @param remedy empty if releases were not searched
   */
  public record Waiting(
      String name,
      ImmutableList<String> texts,
      ImmutableMap<String, String> nodes,
      Optional<ReleaseRemedy> remedy) {}
}
