package io.gpudra.controller.manifest;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.kube.mapping.NodeDemandMapping;
import io.gpudra.controller.kube.mapping.NodeSelectors;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodSchedulingGate;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the pod specs of files. */
record PodReader(PodMapping mapping) {
  private static final ImmutableSet<String> KEEPING_AWAY =
      ImmutableSet.of("", "NoSchedule", "NoExecute");

  PodFacts pattern(String namespace, @Nullable V1ObjectMeta metadata, V1PodSpec spec) {
    return mapping.facts(
        new PodRef(namespace, "", ""), new V1Pod().metadata(labels(metadata)).spec(spec));
  }

  private static V1ObjectMeta labels(@Nullable V1ObjectMeta metadata) {
    return metadata == null
        ? new V1ObjectMeta()
        : new V1ObjectMeta().labels(metadata.getLabels()).annotations(metadata.getAnnotations());
  }

  /**
   * The demand on a node. That of a pod alone counts only if it can be read.
   *
   * @throws IllegalArgumentException if that of a member of a group cannot be read
   */
  static NodeDemand demand(PodFacts pattern, V1PodSpec spec) {
    try {
      return NodeDemandMapping.of(spec);
    } catch (IllegalArgumentException e) {
      if (pattern.group().isPresent()) {
        throw e;
      }
      return NodeDemand.NONE;
    }
  }

  /** Templates of generated claims, by entry. */
  static ImmutableMap<String, String> templates(V1PodSpec spec) {
    ImmutableMap.Builder<String, String> templates = ImmutableMap.builder();
    for (V1PodResourceClaim entry : PodMapping.entries(new V1Pod().spec(spec))) {
      if (entry.getSource() != null
          && entry.getSource().getResourceClaimName() == null
          && entry.getSource().getResourceClaimTemplateName() != null) {
        templates.put(
            requireNonNullElse(entry.getName(), ""),
            entry.getSource().getResourceClaimTemplateName());
      }
    }
    return templates.buildKeepingLast();
  }

  static PodSchedulingConstraints placing(V1PodSpec spec) {
    List<V1Toleration> tolerations =
        requireNonNullElse(spec.getTolerations(), List.<V1Toleration>of()).stream()
            .filter(one -> KEEPING_AWAY.contains(requireNonNullElse(one.getEffect(), "")))
            .toList();
    return new PodSchedulingConstraints(
        Optional.ofNullable(spec.getNodeName()).filter(name -> !name.isEmpty()),
        ImmutableMap.copyOf(requireNonNullElse(spec.getNodeSelector(), Map.of())),
        Optional.ofNullable(spec.getAffinity())
            .map(V1Affinity::getNodeAffinity)
            .map(V1NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
            .flatMap(NodeSelectors::of),
        tolerations.stream().anyMatch(one -> requireNonNullElse(one.getKey(), "").isEmpty()),
        tolerations.stream()
            .map(one -> requireNonNullElse(one.getKey(), ""))
            .collect(ImmutableSet.toImmutableSet()),
        notConsidered(spec));
  }

  private static ImmutableList<String> notConsidered(V1PodSpec spec) {
    V1Affinity affinity = requireNonNullElse(spec.getAffinity(), new V1Affinity());
    ImmutableList.Builder<String> paths = ImmutableList.builder();
    if (affinity.getPodAffinity() != null) {
      paths.add("affinity.podAffinity");
    }
    if (affinity.getPodAntiAffinity() != null) {
      paths.add("affinity.podAntiAffinity");
    }
    if (!requireNonNullElse(spec.getTopologySpreadConstraints(), List.of()).isEmpty()) {
      paths.add("topologySpreadConstraints");
    }
    if (requireNonNullElse(spec.getSchedulingGates(), List.<V1PodSchedulingGate>of()).stream()
        .map(gate -> requireNonNullElse(gate.getName(), ""))
        .anyMatch(gate -> !GateName.isOfADriver(gate))) {
      paths.add("schedulingGates");
    }
    return paths.build();
  }
}
