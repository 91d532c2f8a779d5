package io.gpudra.controller.manifest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeState;
import java.util.Optional;

/**
 * Where a pod may go, as far as that is looked at.
 *
 * @param toleratesAll every taint
 * @param tolerated keys of taints; their values and effects are not looked at
 * @param notConsidered paths of what else its spec says about nodes
 */
public record Placing(
    Optional<String> nodeName,
    ImmutableMap<String, String> nodeSelector,
    Optional<NodeSelector> affinity,
    boolean toleratesAll,
    ImmutableSet<String> tolerated,
    ImmutableList<String> notConsidered) {

  /** Of a pod that says nothing of it. */
  public static final Placing ANYWHERE =
      new Placing(
          Optional.empty(),
          ImmutableMap.of(),
          Optional.empty(),
          /* toleratesAll= */ false,
          ImmutableSet.of(),
          ImmutableList.of());

  /** Whether it asks for this node, or for none in particular. */
  public boolean selects(NodeState node) {
    return nodeName.filter(name -> !name.equals(node.name())).isEmpty()
        && node.labels().entrySet().containsAll(nodeSelector.entrySet())
        && affinity.filter(wanted -> !wanted.matches(node)).isEmpty();
  }

  /** Whether it puts up with what the node repels others with. */
  public boolean tolerates(NodeState node) {
    return toleratesAll || tolerated.containsAll(node.repellingTaints());
  }
}
