package io.gpudra.controller.kube.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeDemand.Misfit;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.gpudra.crds.testing.NodeFixture;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1Toleration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random pods and nodes, against a second reading of Kubernetes' rules. */
class NodeDemandPropertiesTest {
  private static final int CASES = 5_000;
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final List<String> VALUES = List.of("1", "2", "30", "x");
  private static final List<String> NAMES = List.of("n1", "n2", "n3");
  private static final List<String> AMOUNTS = List.of("0", "500m", "1", "2");
  private static final List<String> RESOURCES = List.of("cpu", "memory");

  private final SplittableRandom random = new SplittableRandom(7);

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private <T> List<T> some(int most, Supplier<T> each) {
    List<T> all = new ArrayList<>();
    int count = random.nextInt(most + 1);
    for (int i = 0; i < count; i++) {
      all.add(each.get());
    }
    return all;
  }

  private <T> @Nullable T mostly(T value) {
    return random.nextInt(4) == 0 ? null : value;
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new HashMap<>();
    some(3, () -> one(KEYS)).forEach(key -> labels.put(key, one(VALUES)));
    return labels;
  }

  private V1NodeSelectorRequirement requirement() {
    String operator = one(List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"));
    List<String> values =
        switch (operator) {
          case "Gt", "Lt" -> List.of(one(List.of("1", "2", "30")));
          case "In", "NotIn" -> {
            List<String> listed = some(2, () -> one(VALUES));
            listed.add(one(VALUES));
            yield listed;
          }
          default -> List.of();
        };
    return new V1NodeSelectorRequirement().key(one(KEYS)).operator(operator).values(values);
  }

  private V1NodeSelectorTerm term() {
    List<V1NodeSelectorRequirement> fields =
        some(
            1,
            () ->
                new V1NodeSelectorRequirement()
                    .key("metadata.name")
                    .operator(one(List.of("In", "NotIn")))
                    .values(List.of(one(NAMES))));
    return new V1NodeSelectorTerm()
        .matchExpressions(mostly(some(2, this::requirement)))
        .matchFields(mostly(fields));
  }

  private V1Toleration toleration() {
    boolean exists = random.nextBoolean();
    return new V1Toleration()
        .key(exists ? mostly(one(KEYS)) : one(KEYS))
        .operator(exists ? "Exists" : mostly("Equal"))
        .value(exists ? null : mostly(one(VALUES)))
        .effect(mostly(one(List.of("NoSchedule", "NoExecute", "PreferNoSchedule"))));
  }

  private Map<String, Quantity> amounts() {
    Map<String, Quantity> amounts = new HashMap<>();
    some(2, () -> one(RESOURCES))
        .forEach(name -> amounts.put(name, Quantity.fromString(one(AMOUNTS))));
    return amounts;
  }

  private V1Container container() {
    return new V1Container()
        .resources(mostly(new V1ResourceRequirements().requests(mostly(amounts()))));
  }

  private V1Container init() {
    return container().restartPolicy(random.nextBoolean() ? "Always" : null);
  }

  /** Each resource may be missing. */
  private ImmutableMap<String, Long> allocatable() {
    Map<String, Long> room = new HashMap<>();
    some(8, () -> one(RESOURCES)).forEach(name -> room.put(name, 1_000L * random.nextInt(8)));
    room.put("pods", random.nextInt(20) == 0 ? 0L : 110_000L);
    return ImmutableMap.copyOf(room);
  }

  private V1PodSpec pod() {
    V1NodeSelector required = new V1NodeSelector().nodeSelectorTerms(some(3, this::term));
    V1NodeAffinity affinity =
        new V1NodeAffinity().requiredDuringSchedulingIgnoredDuringExecution(mostly(required));
    return new V1PodSpec()
        .nodeSelector(random.nextBoolean() ? null : labels())
        .affinity(mostly(new V1Affinity().nodeAffinity(mostly(affinity))))
        .tolerations(mostly(some(3, this::toleration)))
        .initContainers(mostly(some(3, this::init)))
        .containers(some(2, this::container))
        .overhead(random.nextInt(4) == 0 ? amounts() : null);
  }

  private NodeState node() {
    Set<NodeTaint> taints =
        new HashSet<>(
            some(
                2,
                () ->
                    new NodeTaint(
                        one(KEYS),
                        one(List.of("", "1", "x")),
                        one(List.of(Effect.NO_SCHEDULE, Effect.NO_EXECUTE)))));
    NodeState node =
        NodeFixture.ready(
            one(NAMES), ImmutableMap.copyOf(labels()), ImmutableSet.copyOf(taints), allocatable());
    return random.nextBoolean() ? NodeFixture.cordoned(node) : node;
  }

  /** Whether a node is cordoned is not a matter of the demand. */
  @Test
  void aDemandIsThatOfKubernetes() {
    Map<Optional<Misfit>, Integer> answers = new HashMap<>();
    for (int i = 0; i < CASES; i++) {
      V1PodSpec pod = pod();
      NodeDemand demand = NodeDemandMapping.of(pod);
      NodeState node = node();
      Optional<Misfit> expected = expected(pod, node);
      assertThat(demand.misfit(node)).as(() -> pod + " on " + node).isEqualTo(expected);
      answers.merge(expected, 1, Integer::sum);
    }
    assertThat(answers).hasSize(4).allSatisfy((any, count) -> assertThat(count).isGreaterThan(200));
  }

  private static Optional<Misfit> expected(V1PodSpec pod, NodeState node) {
    if (!isSelected(pod, node)) {
      return Optional.of(Misfit.NOT_SELECTED);
    }
    for (NodeTaint taint : node.taints()) {
      boolean tolerated = false;
      for (V1Toleration one :
          pod.getTolerations() == null ? List.<V1Toleration>of() : pod.getTolerations()) {
        tolerated |= tolerates(one, taint);
      }
      if (!tolerated) {
        return Optional.of(Misfit.TAINTED);
      }
    }
    return RESOURCES.stream().allMatch(name -> mostAtOnce(pod, name) <= room(node, name))
            && room(node, "pods") > 0
        ? Optional.empty()
        : Optional.of(Misfit.TOO_SMALL);
  }

  private static long room(NodeState node, String resource) {
    return node.allocatable().getOrDefault(resource, 0L);
  }

  /** The containers beside all sidecars, or an init container beside the earlier sidecars. */
  private static long mostAtOnce(V1PodSpec pod, String resource) {
    long sidecars = 0;
    long most = 0;
    for (V1Container init :
        pod.getInitContainers() == null ? List.<V1Container>of() : pod.getInitContainers()) {
      if ("Always".equals(init.getRestartPolicy())) {
        sidecars += request(init, resource);
      } else {
        most = Math.max(most, sidecars + request(init, resource));
      }
    }
    long containers = pod.getContainers().stream().mapToLong(one -> request(one, resource)).sum();
    return Math.max(most, sidecars + containers) + amount(pod.getOverhead(), resource);
  }

  private static long request(V1Container container, String resource) {
    return container.getResources() == null
        ? 0
        : amount(container.getResources().getRequests(), resource);
  }

  private static long amount(@Nullable Map<String, Quantity> amounts, String resource) {
    Quantity amount = amounts == null ? null : amounts.get(resource);
    return amount == null ? 0 : amount.getNumber().movePointRight(3).longValueExact();
  }

  private static boolean tolerates(V1Toleration toleration, NodeTaint taint) {
    String effect = taint.effect() == Effect.NO_SCHEDULE ? "NoSchedule" : "NoExecute";
    if (toleration.getEffect() != null && !toleration.getEffect().equals(effect)) {
      return false;
    }
    if (toleration.getKey() != null && !toleration.getKey().equals(taint.key())) {
      return false;
    }
    String value = toleration.getValue() == null ? "" : toleration.getValue();
    return "Exists".equals(toleration.getOperator()) || value.equals(taint.value());
  }

  private static boolean isSelected(V1PodSpec pod, NodeState node) {
    if (pod.getNodeSelector() != null) {
      for (Map.Entry<String, String> label : pod.getNodeSelector().entrySet()) {
        if (!label.getValue().equals(node.labels().get(label.getKey()))) {
          return false;
        }
      }
    }
    V1NodeAffinity affinity =
        pod.getAffinity() == null ? null : pod.getAffinity().getNodeAffinity();
    V1NodeSelector required =
        affinity == null ? null : affinity.getRequiredDuringSchedulingIgnoredDuringExecution();
    return required == null
        || required.getNodeSelectorTerms().stream().anyMatch(term -> matches(term, node));
  }

  private static boolean matches(V1NodeSelectorTerm term, NodeState node) {
    List<V1NodeSelectorRequirement> labels =
        term.getMatchExpressions() == null ? List.of() : term.getMatchExpressions();
    List<V1NodeSelectorRequirement> fields =
        term.getMatchFields() == null ? List.of() : term.getMatchFields();
    return !(labels.isEmpty() && fields.isEmpty())
        && labels.stream().allMatch(one -> matches(one, node.labels().get(one.getKey())))
        && fields.stream().allMatch(one -> matches(one, node.name()));
  }

  private static boolean matches(V1NodeSelectorRequirement requirement, @Nullable String value) {
    List<String> values = requirement.getValues();
    return switch (requirement.getOperator()) {
      case "In" -> value != null && values.contains(value);
      case "NotIn" -> value == null || !values.contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> isNumber(value) && Long.parseLong(value) > Long.parseLong(values.get(0));
      default -> isNumber(value) && Long.parseLong(value) < Long.parseLong(values.get(0));
    };
  }

  private static boolean isNumber(@Nullable String value) {
    return value != null && value.chars().allMatch(Character::isDigit);
  }
}
