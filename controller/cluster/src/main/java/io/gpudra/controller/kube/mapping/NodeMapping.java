package io.gpudra.controller.kube.mapping;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.naturalOrder;
import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1NodeSpec;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Taint;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Node → the few fields that are cached. */
public final class NodeMapping {
  /** The resources that every node has. */
  private static final ImmutableSet<String> USUAL =
      ImmutableSet.of("cpu", "memory", "pods", "ephemeral-storage");

  private static final Comparator<String> USUAL_FIRST =
      Comparator.comparing((String resource) -> !USUAL.contains(resource))
          .thenComparing(naturalOrder());

  /** More than nodes have; the rest is ignored. */
  private static final int MAX_RESOURCES = 32;

  /** More labels and taints than nodes have, also with those of feature discovery. */
  private static final int MAX_ENTRIES = 1_024;

  /** The maximum number of characters of labels and taints. */
  private static final int MAX_CHARACTERS = 65_536;

  private NodeMapping() {}

  /** Reads the fields that matter for an allocation. */
  public static NodeState state(V1Node node) {
    V1ObjectMeta metadata = requireNonNullElse(node.getMetadata(), new V1ObjectMeta());
    V1NodeSpec spec = requireNonNullElse(node.getSpec(), new V1NodeSpec());
    V1NodeStatus status = requireNonNullElse(node.getStatus(), new V1NodeStatus());
    Map<String, String> labels = requireNonNullElse(metadata.getLabels(), Map.of());
    List<V1Taint> taints = requireNonNullElse(spec.getTaints(), List.of());
    boolean crowded = isCrowded(labels, taints);
    return new NodeState(
        ObjectMetadata.name(metadata),
        ready(status),
        Boolean.TRUE.equals(spec.getUnschedulable()),
        crowded ? ImmutableSet.of() : taints(taints),
        crowded ? ImmutableMap.of() : ImmutableMap.copyOf(labels),
        allocatable(requireNonNullElse(status.getAllocatable(), Map.<String, Quantity>of())),
        crowded);
  }

  private static boolean isCrowded(Map<String, String> labels, List<V1Taint> taints) {
    return labels.size() + taints.size() > MAX_ENTRIES
        || characters(labels) + characters(taints) > MAX_CHARACTERS;
  }

  private static long characters(Map<String, String> labels) {
    return Stream.concat(labels.keySet().stream(), labels.values().stream())
        .mapToLong(String::length)
        .sum();
  }

  private static long characters(List<V1Taint> taints) {
    return taints.stream()
        .flatMap(taint -> Stream.of(text(taint.getKey()), text(taint.getValue())))
        .mapToLong(String::length)
        .sum();
  }

  private static String text(@Nullable String text) {
    return requireNonNullElse(text, "");
  }

  private static boolean ready(V1NodeStatus status) {
    return requireNonNullElse(status.getConditions(), List.<V1NodeCondition>of()).stream()
        .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  private static ImmutableSet<NodeTaint> taints(List<V1Taint> taints) {
    return taints.stream().flatMap(taint -> taint(taint).stream()).collect(toImmutableSet());
  }

  private static Optional<NodeTaint> taint(V1Taint taint) {
    return Effect.of(taint.getEffect())
        .map(effect -> new NodeTaint(text(taint.getKey()), text(taint.getValue()), effect));
  }

  private static ImmutableMap<String, Long> allocatable(Map<String, Quantity> all) {
    return Maps.filterValues(all, quantity -> quantity != null).entrySet().stream()
        .sorted(Map.Entry.comparingByKey(USUAL_FIRST))
        .limit(MAX_RESOURCES)
        .collect(
            toImmutableMap(
                Map.Entry::getKey,
                entry -> QuantityMapping.thousandths(entry.getValue(), RoundingMode.DOWN)));
  }
}
