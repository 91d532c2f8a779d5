package io.gpudra.crds.model;

import java.util.Optional;

/**
 * Why a claim cannot have a node. Made once, where the decision is made; every event, metric and
 * command shows this same reason. Implementations build text only when asked.
 */
public interface Reason {

  /** Value of the metric label {@code reason}, camelCase, of a small fixed set. */
  String label();

  /** Short form for counting nodes, without numbers or names: {@code all matching GPUs in use}. */
  String phrase();

  /**
   * Full form for one node: {@code 2 of 8 GPUs match memory >= 40Gi, both granted to team-a/train}.
   */
  String text(NamespaceAudience reader);

  /**
   * Whether a device given back could never change the answer: the node has no device that matches
   * at all.
   */
  boolean lasting();

  /**
   * The name of the event when this is the nearest miss and says more than that no device is free
   * or matches: {@code TopologyUnsatisfied}.
   */
  default Optional<String> warning() {
    return Optional.empty();
  }

  /**
   * How much is missing, for naming the nearest miss; smaller is nearer, and only comparable within
   * one claim.
   */
  int shortfall();
}
