package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.math.LongMath;
import java.util.Optional;

/**
 * The demands of a pod on its node beside devices, by the rules of kube-scheduler. Other pods of
 * the node do not count.
 *
 * @param required the selector that the node must match
 * @param size thousandths of what the pod requests, by resource
 */
public record NodeDemand(
    Optional<NodeSelector> required,
    ImmutableList<NodeToleration> tolerations,
    ImmutableMap<String, Long> size) {

  /** The demand of a pod that any node suits. */
  public static final NodeDemand NONE =
      new NodeDemand(Optional.empty(), ImmutableList.of(), ImmutableMap.of());

  /** Why a node does not suit a pod. */
  public enum Misfit {
    NOT_SELECTED,
    TAINTED,
    TOO_SMALL
  }

  /** The first reason against the node; empty if it suits the pod. */
  public Optional<Misfit> misfit(NodeState node) {
    if (required.filter(selector -> !selector.matches(node)).isPresent()) {
      return Optional.of(Misfit.NOT_SELECTED);
    }
    if (!node.taints().stream().allMatch(this::tolerates)) {
      return Optional.of(Misfit.TAINTED);
    }
    return isWithin(node.allocatable()) ? Optional.empty() : Optional.of(Misfit.TOO_SMALL);
  }

  private boolean tolerates(NodeTaint taint) {
    return tolerations.stream().anyMatch(toleration -> toleration.tolerates(taint));
  }

  private boolean isWithin(ImmutableMap<String, Long> allocatable) {
    return size.entrySet().stream()
        .allMatch(
            requested -> requested.getValue() <= allocatable.getOrDefault(requested.getKey(), 0L));
  }

  /** The demand of this number of pods together. */
  public NodeDemand times(int pods) {
    return new NodeDemand(
        required,
        tolerations,
        ImmutableMap.copyOf(
            Maps.transformValues(size, one -> LongMath.saturatedMultiply(one, pods))));
  }
}
