package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;

/** What a pod at the gate needs. */
sealed interface GateAction {

  /** Nothing, until the pod changes. */
  record Leave() implements GateAction {}

  /** The pod waits until its claims can be read. */
  record Await() implements GateAction {}

  /** The pod waits for objects of a user that are missing or wrong. */
  record Tell(ImmutableList<PodBlocker> blockers) implements GateAction {}

  /** Remove the gate. */
  record Lift(LiftReason reason) implements GateAction {}

  /** The scheduler finds no room on the node of these claims: have them deallocated. */
  record GiveBack(ImmutableList<ClaimFacts> claims) implements GateAction {}

  /** Allocate on this node, on which the pod has a claim. */
  record GrantOn(String node) implements GateAction {}

  /** Allocate on the best node. */
  record Grant() implements GateAction {}
}
