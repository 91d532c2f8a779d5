package io.gpudra.controller.manifest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeState;
import java.util.Optional;

/**
 * Scheduling constraints of a pod, as far as they are evaluated.
 *
 * @param toleratesAll whether it tolerates every taint
 * @param tolerated keys of taints; values and effects are not compared
 * @param notConsidered paths of its other constraints
 */
public record PodSchedulingConstraints(
    Optional<String> nodeName,
    ImmutableMap<String, String> nodeSelector,
    Optional<NodeSelector> affinity,
    boolean toleratesAll,
    ImmutableSet<String> tolerated,
    ImmutableList<String> notConsidered) {

  /** The constraints of a pod without any. */
  public static final PodSchedulingConstraints ANYWHERE =
      new PodSchedulingConstraints(
          Optional.empty(),
          ImmutableMap.of(),
          Optional.empty(),
          /* toleratesAll= */ false,
          ImmutableSet.of(),
          ImmutableList.of());

  /** Whether the node selector of the pod matches this node. */
  public boolean selects(NodeState node) {
    return nodeName.filter(name -> !name.equals(node.name())).isEmpty()
        && node.labels().entrySet().containsAll(nodeSelector.entrySet())
        && affinity.filter(wanted -> !wanted.matches(node)).isEmpty();
  }

  /** Whether the pod tolerates the taints of this node. */
  public boolean tolerates(NodeState node) {
    return toleratesAll || tolerated.containsAll(node.repellingTaints());
  }
}
