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
    ImmutableMap<String, String> labels) {}
