package io.gpudra.controller.kube.mapping;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Interner;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.controller.memory.HashBoundInterner;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSchedulingGate;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pod without a node → the few fields that its gate needs. */
public final class GatedPodMapping {
  /** More than any pod has; pods with more are left to the scheduler. */
  private static final int MAX_ENTRIES = 512;

  /** Estimated bytes; a usual demand has one or two thousand. */
  private static final long MAX_BYTES = 64 << 10;

  private final PodMapping pods;
  private final GateName gate;

  /** Thousands of pods are made from one template. */
  private final Interner<NodeDemand> demands = new HashBoundInterner<>();

  public GatedPodMapping(PodMapping pods) {
    this.pods = pods;
    this.gate = new GateName(pods.driverName());
  }

  /** The pod, if it has the gate of this driver, a group, or claims. */
  public Optional<GatedPod> pod(V1Pod pod) {
    V1PodSpec spec = requireNonNullElse(pod.getSpec(), new V1PodSpec());
    boolean tooMany = PodMapping.entries(pod).size() > MAX_ENTRIES;
    if (tooMany) {
      spec.setResourceClaims(PodMapping.entries(pod).subList(0, MAX_ENTRIES));
    }
    V1ObjectMeta metadata = requireNonNullElse(pod.getMetadata(), new V1ObjectMeta());
    PodFacts facts = pods.facts(ref(metadata), pod);
    ImmutableSet<String> gates = gates(spec);
    boolean gated = gates.contains(gate.own());
    return gated || facts.group().isPresent() || !facts.claims().isEmpty()
        ? Optional.of(
            pod(
                facts,
                spec,
                gates,
                requireNonNullElse(pod.getStatus(), new V1PodStatus()),
                tooMany))
        : Optional.empty();
  }

  private static PodRef ref(V1ObjectMeta metadata) {
    return new PodRef(
        ObjectMetadata.namespace(metadata),
        ObjectMetadata.name(metadata),
        ObjectMetadata.uid(metadata));
  }

  private GatedPod pod(
      PodFacts facts,
      V1PodSpec spec,
      ImmutableSet<String> gates,
      V1PodStatus status,
      boolean tooMany) {
    Optional<NodeDemand> demand = tooMany ? Optional.empty() : demand(spec);
    return new GatedPod(
        facts,
        gates.contains(gate.own()),
        !gates.stream().allMatch(GateName::isOfADriver),
        demand.orElse(NodeDemand.NONE),
        demand.isPresent() ? unjudged(spec) : Optional.of(LiftReason.UNREADABLE),
        PodMapping.refusal(status),
        Optional.ofNullable(status.getNominatedNodeName())
            .filter(node -> !node.isEmpty())
            .map(ObjectMetadata::nameOrSo));
  }

  private static ImmutableSet<String> gates(V1PodSpec spec) {
    return requireNonNullElse(spec.getSchedulingGates(), List.<V1PodSchedulingGate>of()).stream()
        .map(one -> requireNonNullElse(one.getName(), ""))
        .collect(toImmutableSet());
  }

  private Optional<NodeDemand> demand(V1PodSpec spec) {
    try {
      return Optional.of(NodeDemandMapping.of(spec))
          .filter(demand -> RequestSize.of(demand) <= MAX_BYTES)
          .map(demands::intern);
    } catch (IllegalArgumentException e) {
      // An operator of a later version, or too many entries.
      return Optional.empty();
    }
  }

  private static Optional<LiftReason> unjudged(V1PodSpec spec) {
    if (hasPodAffinity(spec.getAffinity())) {
      return Optional.of(LiftReason.POD_AFFINITY);
    }
    if (hasTopologySpread(spec)) {
      return Optional.of(LiftReason.TOPOLOGY_SPREAD);
    }
    return Stream.of(of(spec.getInitContainers()), of(spec.getContainers()))
            .flatMap(List::stream)
            .anyMatch(GatedPodMapping::hasHostPort)
        ? Optional.of(LiftReason.HOST_PORTS)
        : Optional.empty();
  }

  private static boolean hasPodAffinity(@Nullable V1Affinity affinity) {
    return affinity != null
        && ((affinity.getPodAffinity() != null
                && some(
                    affinity.getPodAffinity().getRequiredDuringSchedulingIgnoredDuringExecution()))
            || (affinity.getPodAntiAffinity() != null
                && some(
                    affinity
                        .getPodAntiAffinity()
                        .getRequiredDuringSchedulingIgnoredDuringExecution())));
  }

  private static boolean some(@Nullable List<?> terms) {
    return terms != null && !terms.isEmpty();
  }

  private static boolean hasTopologySpread(V1PodSpec spec) {
    return requireNonNullElse(
            spec.getTopologySpreadConstraints(), List.<V1TopologySpreadConstraint>of())
        .stream()
        .anyMatch(constraint -> "DoNotSchedule".equals(constraint.getWhenUnsatisfiable()));
  }

  private static boolean hasHostPort(V1Container container) {
    return requireNonNullElse(container.getPorts(), List.<V1ContainerPort>of()).stream()
        .anyMatch(port -> requireNonNullElse(port.getHostPort(), 0) > 0);
  }

  private static List<V1Container> of(@Nullable List<V1Container> containers) {
    return requireNonNullElse(containers, List.of());
  }
}
