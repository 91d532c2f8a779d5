package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1NodeSpec;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Taint;
import java.util.List;
import java.util.Map;

/** Node → the few fields that are cached. */
public final class NodeMapping {
  private static final ImmutableSet<String> REPELLING = ImmutableSet.of("NoSchedule", "NoExecute");

  private NodeMapping() {}

  /** Reads the fields that matter for an allocation. */
  public static NodeState state(V1Node node) {
    V1ObjectMeta metadata = requireNonNullElse(node.getMetadata(), new V1ObjectMeta());
    V1NodeSpec spec = requireNonNullElse(node.getSpec(), new V1NodeSpec());
    return new NodeState(
        ObjectMetadata.name(metadata),
        ready(requireNonNullElse(node.getStatus(), new V1NodeStatus())),
        Boolean.TRUE.equals(spec.getUnschedulable()),
        taints(spec),
        ImmutableMap.copyOf(requireNonNullElse(metadata.getLabels(), Map.<String, String>of())));
  }

  private static boolean ready(V1NodeStatus status) {
    return requireNonNullElse(status.getConditions(), List.<V1NodeCondition>of()).stream()
        .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  private static ImmutableSortedSet<String> taints(V1NodeSpec spec) {
    return requireNonNullElse(spec.getTaints(), List.<V1Taint>of()).stream()
        .filter(taint -> REPELLING.contains(requireNonNullElse(taint.getEffect(), "")))
        .map(taint -> requireNonNullElse(taint.getKey(), ""))
        .collect(ImmutableSortedSet.toImmutableSortedSet(String::compareTo));
  }
}
