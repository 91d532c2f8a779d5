package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static java.util.Comparator.naturalOrder;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.node.DeviceTaint.Effect;

/**
 * The state of a node according to the control plane, as far as it matters where the driver chooses
 * the node.
 *
 * @param ready the node's Ready condition is True
 * @param cordoned {@code spec.unschedulable}
 * @param taints the NoSchedule and NoExecute taints
 * @param allocatable thousandths of what pods may use, by resource such as {@code cpu}
 * @param crowded it has more labels and taints than are read, and counts as having none
 */
public record NodeState(
    String name,
    boolean ready,
    boolean cordoned,
    ImmutableSet<NodeTaint> taints,
    ImmutableMap<String, String> labels,
    ImmutableMap<String, Long> allocatable,
    boolean crowded) {

  /** A node of which everything is read. */
  public NodeState(
      String name,
      boolean ready,
      boolean cordoned,
      ImmutableSet<NodeTaint> taints,
      ImmutableMap<String, String> labels,
      ImmutableMap<String, Long> allocatable) {
    this(name, ready, cordoned, taints, labels, allocatable, /* crowded= */ false);
  }

  /** A node whose taints have no values, and of whose size nothing is known. */
  public NodeState(
      String name,
      boolean ready,
      boolean cordoned,
      ImmutableSortedSet<String> repellingTaints,
      ImmutableMap<String, String> labels) {
    this(
        name,
        ready,
        cordoned,
        repellingTaints.stream()
            .map(key -> new NodeTaint(key, "", Effect.NO_SCHEDULE))
            .collect(toImmutableSet()),
        labels,
        ImmutableMap.of());
  }

  /** A node that is ready, and of which nothing else is known. */
  public static NodeState ready(String name) {
    return new NodeState(name, true, false, ImmutableSortedSet.of(), ImmutableMap.of());
  }

  /** A node of which nothing is known. */
  public static NodeState unknown(String name) {
    return new NodeState(name, false, false, ImmutableSortedSet.of(), ImmutableMap.of());
  }

  /** The keys of the taints. */
  public ImmutableSortedSet<String> repellingTaints() {
    return taints.stream().map(NodeTaint::key).collect(toImmutableSortedSet(naturalOrder()));
  }
}
