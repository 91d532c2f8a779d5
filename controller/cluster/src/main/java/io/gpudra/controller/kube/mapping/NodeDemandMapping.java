package io.gpudra.controller.kube.mapping;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.math.LongMath;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeSelector.Operator;
import io.gpudra.crds.model.node.NodeSelector.Requirement;
import io.gpudra.crds.model.node.NodeSelector.Term;
import io.gpudra.crds.model.node.NodeToleration;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The demand of a pod on its node, by the rules of kube-scheduler. */
public final class NodeDemandMapping {
  private static final ImmutableMap<String, Long> ONE_POD = ImmutableMap.of("pods", 1_000L);

  /** More than any pod has; a pod with more is left to the scheduler. */
  private static final int MAX_ENTRIES = 512;

  private NodeDemandMapping() {}

  /**
   * Reads the demand.
   *
   * @throws IllegalArgumentException if it has an operator that is not known, or too many entries
   */
  public static NodeDemand of(V1PodSpec spec) {
    if (entries(spec) > MAX_ENTRIES) {
      throw new IllegalArgumentException("more than %d entries".formatted(MAX_ENTRIES));
    }
    return new NodeDemand(
        required(spec),
        requireNonNullElse(spec.getTolerations(), List.<V1Toleration>of()).stream()
            .flatMap(toleration -> toleration(toleration).stream())
            .distinct()
            .collect(toImmutableList()),
        size(spec));
  }

  /** The entries of a demand before it is built; those of the selector count in each term. */
  private static long entries(V1PodSpec spec) {
    long selector = requireNonNullElse(spec.getNodeSelector(), Map.of()).size();
    List<V1NodeSelectorTerm> terms = affinity(spec).map(NodeSelectors::terms).orElse(List.of());
    return selector * Math.max(1, terms.size())
        + terms.stream().mapToLong(NodeSelectors::entries).sum()
        + requireNonNullElse(spec.getTolerations(), List.of()).size()
        + Stream.concat(of(spec.getInitContainers()).stream(), of(spec.getContainers()).stream())
            .mapToLong(container -> 1 + quantities(container).size())
            .sum()
        + requireNonNullElse(spec.getOverhead(), Map.of()).size();
  }

  private static Optional<V1NodeSelector> affinity(V1PodSpec spec) {
    return Optional.ofNullable(spec.getAffinity())
        .map(V1Affinity::getNodeAffinity)
        .map(V1NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
  }

  /** The node selector is a part of each term of the affinity. */
  private static Optional<NodeSelector> required(V1PodSpec spec) {
    ImmutableList<Requirement> selector =
        requireNonNullElse(spec.getNodeSelector(), Map.<String, String>of()).entrySet().stream()
            .map(label -> equal(label.getKey(), label.getValue()))
            .collect(toImmutableList());
    Optional<NodeSelector> affinity = affinity(spec).flatMap(NodeSelectors::of);
    if (selector.isEmpty()) {
      return affinity;
    }
    Term alone = new Term(selector, ImmutableList.of());
    return Optional.of(
        affinity
            .map(terms -> and(terms, selector))
            .orElse(new NodeSelector(ImmutableList.of(alone))));
  }

  /** An empty term matches nothing, also with a selector. */
  private static NodeSelector and(NodeSelector affinity, ImmutableList<Requirement> selector) {
    return new NodeSelector(
        affinity.terms().stream()
            .filter(term -> !(term.labels().isEmpty() && term.fields().isEmpty()))
            .map(term -> new Term(concat(term.labels(), selector), term.fields()))
            .collect(toImmutableList()));
  }

  private static ImmutableList<Requirement> concat(
      ImmutableList<Requirement> some, ImmutableList<Requirement> more) {
    return Stream.concat(some.stream(), more.stream()).collect(toImmutableList());
  }

  private static Requirement equal(String key, @Nullable String value) {
    return new Requirement(key, Operator.IN, ImmutableList.of(requireNonNullElse(value, "")));
  }

  /** Empty if it tolerates only taints that keep no pod away. */
  private static Optional<NodeToleration> toleration(V1Toleration toleration) {
    String effect = requireNonNullElse(toleration.getEffect(), "");
    Optional<String> value =
        "Exists".equals(toleration.getOperator())
            ? Optional.empty()
            : Optional.of(requireNonNullElse(toleration.getValue(), ""));
    Optional<Effect> known = Effect.of(effect);
    return effect.isEmpty() || known.isPresent()
        ? Optional.of(new NodeToleration(requireNonNullElse(toleration.getKey(), ""), value, known))
        : Optional.empty();
  }

  /** What runs at once at most: all containers, or an init container beside earlier sidecars. */
  private static ImmutableMap<String, Long> size(V1PodSpec spec) {
    Map<String, Long> sidecars = new HashMap<>();
    Map<String, Long> most = new HashMap<>();
    for (V1Container init : of(spec.getInitContainers())) {
      Map<String, Long> together = sum(sidecars, requests(init));
      together.forEach((resource, amount) -> most.merge(resource, amount, Math::max));
      if ("Always".equals(init.getRestartPolicy())) {
        sidecars = together;
      }
    }
    Map<String, Long> running = sidecars;
    for (V1Container container : of(spec.getContainers())) {
      running = sum(running, requests(container));
    }
    running.forEach((resource, amount) -> most.merge(resource, amount, Math::max));
    return ImmutableMap.copyOf(sum(sum(most, amounts(spec.getOverhead())), ONE_POD));
  }

  private static List<V1Container> of(@Nullable List<V1Container> containers) {
    return requireNonNullElse(containers, List.of());
  }

  private static Map<String, Quantity> quantities(V1Container container) {
    return container.getResources() == null
        ? Map.of()
        : requireNonNullElse(container.getResources().getRequests(), Map.of());
  }

  private static Map<String, Long> requests(V1Container container) {
    return amounts(quantities(container));
  }

  private static Map<String, Long> amounts(@Nullable Map<String, Quantity> quantities) {
    return requireNonNullElse(quantities, Map.<String, Quantity>of()).entrySet().stream()
        .filter(entry -> entry.getValue() != null)
        .collect(
            toImmutableMap(
                Map.Entry::getKey,
                entry -> QuantityMapping.thousandths(entry.getValue(), RoundingMode.UP)));
  }

  private static Map<String, Long> sum(Map<String, Long> some, Map<String, Long> more) {
    Map<String, Long> both = new HashMap<>(some);
    more.forEach((resource, amount) -> both.merge(resource, amount, LongMath::saturatedAdd));
    return both;
  }
}
