package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;

/**
 * The state of a node according to the control plane, as far as Immediate claims need it.
 *
 * @param ready the node's Ready condition is True
 * @param cordoned {@code spec.unschedulable}
 * @param repellingTaints keys of NoSchedule and NoExecute taints
 */
public record NodeState(
    String name,
    boolean ready,
    boolean cordoned,
    ImmutableSortedSet<String> repellingTaints,
    ImmutableMap<String, String> labels) {

  /** A node that is ready, and of which nothing else is known. */
  public static NodeState ready(String name) {
    return new NodeState(name, true, false, ImmutableSortedSet.of(), ImmutableMap.of());
  }

  /** A node of which nothing is known. */
  public static NodeState unknown(String name) {
    return new NodeState(name, false, false, ImmutableSortedSet.of(), ImmutableMap.of());
  }
}
