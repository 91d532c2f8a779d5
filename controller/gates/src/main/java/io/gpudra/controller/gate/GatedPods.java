package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * Port to the pods without a node. Reads are from a cache, and never show a gate that {@link #lift}
 * removed.
 */
public interface GatedPods {
  /** Of the pods of a group, as the server sends them. */
  long MAX_LISTED_BYTES = 64 << 20;

  /** The pods of a unit, by rank. */
  ImmutableList<GatedPod> ofUnit(ObjectKey unit);

  /** Whether a pod of the unit waits at the gate; as fast for a unit of thousands of pods. */
  boolean isAtGate(ObjectKey unit);

  /** All units. */
  ImmutableSet<ObjectKey> units();

  /**
   * Reads from the server whether the pod of this name and UID exists and has no node.
   *
   * @throws ApiUnavailableException when the server does not answer
   */
  boolean awaitsNode(PodRef pod) throws ApiUnavailableException;

  /**
   * Reads from the server whether the pod of this name and UID exists and has the gate of this
   * driver.
   *
   * @throws ApiUnavailableException when the server does not answer
   */
  boolean isGated(PodRef pod) throws ApiUnavailableException;

  /**
   * Reads from the server all pods with the labels of the group, with and without a node.
   *
   * @return empty if this takes more than {@link #MAX_LISTED_BYTES}
   * @throws ApiUnavailableException when the server does not answer
   * @throws SlowListException when this takes too long
   */
  Optional<ImmutableList<MemberFacts>> members(ObjectKey group)
      throws ApiUnavailableException, SlowListException;

  /**
   * Removes the gate of this driver, and no other, from exactly this pod. A gate can only go, so
   * that a repeated call is harmless.
   */
  WriteOutcome.Kind lift(GatedPod seen);
}
