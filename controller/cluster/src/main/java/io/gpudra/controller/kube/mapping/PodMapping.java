package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.kubernetes.client.openapi.models.V1ClaimSource;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1PodSchedulingGate;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pod → facts, with the naming rules of the server's version (protocol.md 1.6). */
public final class PodMapping {
  private static final ImmutableSet<String> TERMINAL = ImmutableSet.of("Succeeded", "Failed");

  /** First version that records the names of generated claims in the pod's status. */
  private static final int NAMES_IN_STATUS = 28;

  /** No node runs pods with more containers; the rest is ignored. */
  private static final int MAX_CONTAINERS = 64;

  /** Maximum number of gates in messages. */
  private static final int MAX_GATES = 8;

  /** The maximum number of characters in the scheduler's message. */
  private static final int MAX_REFUSAL = 1024;

  private final boolean namesInStatus;
  private final GroupLabels groups;

  /**
   * A mapping for a server of Kubernetes 1.{@code serverMinor}.
   *
   * @param driverName the prefix of our labels
   */
  public PodMapping(int serverMinor, String driverName) {
    this.namesInStatus = serverMinor >= NAMES_IN_STATUS;
    this.groups = new GroupLabels(driverName);
  }

  /** The prefix of our labels. */
  public String driverName() {
    return groups.driverName();
  }

  /** Selects the pods of a group by labels; empty if the unit is none. */
  public Optional<String> selector(ObjectKey unit) {
    return groups.selector(unit);
  }

  /** Reads the facts that the protocol needs. */
  public PodFacts facts(PodRef ref, V1Pod pod) {
    V1PodStatus status = requireNonNullElse(pod.getStatus(), new V1PodStatus());
    V1ObjectMeta metadata = requireNonNullElse(pod.getMetadata(), new V1ObjectMeta());
    Map<String, V1PodResourceClaimStatus> recorded = recorded(status);
    return new PodFacts(
        ref,
        new WaitRank(priority(pod), ObjectMetadata.created(metadata)),
        groups.of(metadata),
        metadata.getDeletionTimestamp() != null,
        TERMINAL.contains(requireNonNullElse(status.getPhase(), "")),
        entries(pod).stream()
            .map(entry -> claim(ref, recorded, entry))
            .collect(ImmutableList.toImmutableList()),
        containers(pod));
  }

  private static int priority(V1Pod pod) {
    return pod.getSpec() == null ? 0 : requireNonNullElse(pod.getSpec().getPriority(), 0);
  }

  /** Reads the fields for commands. */
  PodView podView(V1Pod pod) {
    V1ObjectMeta metadata = requireNonNullElse(pod.getMetadata(), new V1ObjectMeta());
    PodRef ref =
        new PodRef(
            ObjectMetadata.namespace(metadata),
            ObjectMetadata.name(metadata),
            ObjectMetadata.uid(metadata));
    return new PodView(
        facts(ref, pod),
        ObjectMetadata.created(metadata),
        Optional.ofNullable(pod.getSpec())
            .map(V1PodSpec::getNodeName)
            .map(ObjectMetadata::nameOrSo),
        phase(pod),
        ObjectMetadata.controllerUid(metadata),
        scheduling(pod));
  }

  /** Empty if it is not set. */
  static String phase(V1Pod pod) {
    return pod.getStatus() == null ? "" : ObjectMetadata.nameOrSo(pod.getStatus().getPhase());
  }

  private static Scheduling scheduling(V1Pod pod) {
    V1PodSpec spec = requireNonNullElse(pod.getSpec(), new V1PodSpec());
    return new Scheduling(
        requireNonNullElse(spec.getSchedulingGates(), List.<V1PodSchedulingGate>of()).stream()
            .limit(MAX_GATES)
            .map(gate -> ObjectMetadata.nameOrSo(gate.getName()))
            .collect(ImmutableList.toImmutableList()),
        spec.getSchedulerName() == null
            ? Scheduling.USUAL.scheduler()
            : ObjectMetadata.nameOrSo(spec.getSchedulerName()),
        refusal(requireNonNullElse(pod.getStatus(), new V1PodStatus())));
  }

  /** The scheduler's message, if it finds no node for the pod. */
  static Optional<String> refusal(V1PodStatus status) {
    return requireNonNullElse(status.getConditions(), List.<V1PodCondition>of()).stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "Unschedulable".equals(condition.getReason()))
        .map(condition -> requireNonNullElse(condition.getMessage(), ""))
        .map(message -> Ascii.truncate(message, MAX_REFUSAL, "…"))
        .findFirst();
  }

  private static ImmutableList<Container> containers(V1Pod pod) {
    Map<String, Integer> entries = numbers(pod);
    return entries.size() < 2
        ? ImmutableList.of()
        : Stream.of(pod.getSpec().getInitContainers(), pod.getSpec().getContainers())
            .flatMap(some -> requireNonNullElse(some, List.<V1Container>of()).stream())
            .map(container -> new Container(name(container), claims(container, entries)))
            .filter(container -> Long.bitCount(container.claims()) > 1)
            .limit(MAX_CONTAINERS)
            .collect(ImmutableList.toImmutableList());
  }

  private static String name(V1Container container) {
    return requireNonNullElse(container.getName(), "");
  }

  /** Numbers of the pod's entries that may be served. */
  private static Map<String, Integer> numbers(V1Pod pod) {
    Map<String, Integer> numbers = new HashMap<>();
    for (V1PodResourceClaim entry : entries(pod)) {
      if (numbers.size() < Long.SIZE) {
        numbers.put(requireNonNullElse(entry.getName(), ""), numbers.size());
      }
    }
    return numbers;
  }

  private static long claims(V1Container container, Map<String, Integer> entries) {
    V1ResourceRequirements resources = container.getResources();
    if (resources == null || resources.getClaims() == null) {
      return 0;
    }
    return resources.getClaims().stream()
        .map(claim -> entries.getOrDefault(requireNonNullElse(claim.getName(), ""), -1))
        .filter(number -> number >= 0)
        .mapToLong(number -> 1L << number)
        .reduce(0, (a, b) -> a | b);
  }

  /** The claims in the pod's spec. */
  public static List<V1PodResourceClaim> entries(V1Pod pod) {
    return pod.getSpec() == null
        ? List.of()
        : requireNonNullElse(pod.getSpec().getResourceClaims(), List.of());
  }

  /** The first status of each entry. */
  private static Map<String, V1PodResourceClaimStatus> recorded(V1PodStatus status) {
    Map<String, V1PodResourceClaimStatus> recorded = new HashMap<>();
    requireNonNullElse(status.getResourceClaimStatuses(), List.<V1PodResourceClaimStatus>of())
        .forEach(entry -> recorded.putIfAbsent(requireNonNullElse(entry.getName(), ""), entry));
    return recorded;
  }

  private PodClaim claim(
      PodRef ref, Map<String, V1PodResourceClaimStatus> recorded, V1PodResourceClaim entry) {
    String name = requireNonNullElse(entry.getName(), "");
    V1ClaimSource source = requireNonNullElse(entry.getSource(), new V1ClaimSource());
    return new PodClaim(name, resolution(ref, recorded.get(name), name, source));
  }

  /** An entry without a known source, such as one of 1.31, is not served. */
  private Resolution resolution(
      PodRef ref, @Nullable V1PodResourceClaimStatus status, String name, V1ClaimSource source) {
    if (source.getResourceClaimName() != null) {
      return to(ref, source.getResourceClaimName(), false);
    }
    if (source.getResourceClaimTemplateName() == null) {
      return new Resolution.None();
    }
    if (!namesInStatus) {
      return to(ref, ref.name() + "-" + name, true);
    }
    return status == null ? new Resolution.NotYet() : recorded(ref, status);
  }

  private static Resolution recorded(PodRef ref, V1PodResourceClaimStatus entry) {
    return entry.getResourceClaimName() == null
        ? new Resolution.None()
        : to(ref, entry.getResourceClaimName(), true);
  }

  private static Resolution to(PodRef pod, String claim, boolean mustBeOwned) {
    return new Resolution.ResolvedTo(new ClaimRef(pod.namespace(), claim), mustBeOwned);
  }
}
