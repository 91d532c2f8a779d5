package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContext;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContextSpec;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContextStatus;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimSchedulingStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** PodSchedulingContext → facts (protocol.md 1.4). */
public final class ContextMapping {

  private ContextMapping() {}

  /** Reads the facts that the protocol needs. */
  public static ContextFacts facts(V1alpha2PodSchedulingContext context) {
    V1ObjectMeta metadata = requireNonNullElse(context.getMetadata(), new V1ObjectMeta());
    V1alpha2PodSchedulingContextSpec spec =
        requireNonNullElse(context.getSpec(), new V1alpha2PodSchedulingContextSpec());
    return new ContextFacts(
        new PodRef(
            ObjectMetadata.namespace(metadata),
            ObjectMetadata.name(metadata),
            // Without a controller reference there is no UID, and the context belongs to no pod.
            ObjectMetadata.controllerUid(metadata).orElse("")),
        ObjectMetadata.uid(metadata),
        ObjectMetadata.resourceVersion(metadata),
        ObjectMetadata.created(metadata),
        metadata.getDeletionTimestamp() != null,
        Optional.ofNullable(spec.getSelectedNode()).filter(node -> !node.isEmpty()),
        nodes(spec.getPotentialNodes()),
        unsuitableNodes(context.getStatus()));
  }

  private static ImmutableMap<String, ImmutableSet<String>> unsuitableNodes(
      @Nullable V1alpha2PodSchedulingContextStatus status) {
    if (status == null || status.getResourceClaims() == null) {
      return ImmutableMap.of();
    }
    ImmutableMap.Builder<String, ImmutableSet<String>> nodes = ImmutableMap.builder();
    for (V1alpha2ResourceClaimSchedulingStatus entry : status.getResourceClaims()) {
      nodes.put(requireNonNullElse(entry.getName(), ""), nodes(entry.getUnsuitableNodes()));
    }
    return nodes.buildKeepingLast();
  }

  /** Sorted sets take a third of the memory; each waiting pod has two sets. */
  private static ImmutableSet<String> nodes(@Nullable List<String> names) {
    return ImmutableSortedSet.copyOf(requireNonNullElse(names, List.of()));
  }
}
