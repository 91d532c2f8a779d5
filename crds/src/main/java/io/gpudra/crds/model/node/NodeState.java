package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;

/**
 * What the control plane says of a node, as far as choosing one for an Immediate claim needs it.
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
