package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeSelector.Operator;
import io.gpudra.crds.model.node.NodeSelector.Requirement;
import io.gpudra.crds.model.node.NodeSelector.Term;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** core/v1 NodeSelector → model. */
public final class NodeSelectors {
  private static final String NAME_FIELD = "metadata.name";

  private NodeSelectors() {}

  /** The selector; empty if there is none. */
  public static Optional<NodeSelector> of(@Nullable V1NodeSelector selector) {
    return Optional.ofNullable(selector)
        .map(
            s ->
                new NodeSelector(
                    terms(s).stream()
                        .map(NodeSelectors::term)
                        .collect(ImmutableList.toImmutableList())));
  }

  /** The node that all terms of the selector require, if it is a single one. */
  static Optional<String> onlyNode(@Nullable V1NodeSelector selector) {
    List<Term> terms = of(selector).map(s -> (List<Term>) s.terms()).orElse(List.of());
    ImmutableSet<Optional<String>> nodes =
        terms.stream().map(NodeSelectors::pinned).collect(ImmutableSet.toImmutableSet());
    return nodes.size() == 1 ? nodes.iterator().next() : Optional.empty();
  }

  private static Optional<String> pinned(Term term) {
    return term.fields().stream()
        .filter(r -> r.key().equals(NAME_FIELD) && r.operator() == Operator.IN)
        .filter(r -> r.values().size() == 1)
        .map(r -> r.values().get(0))
        .findFirst();
  }

  static List<V1NodeSelectorTerm> terms(V1NodeSelector selector) {
    return requireNonNullElse(selector.getNodeSelectorTerms(), List.<V1NodeSelectorTerm>of());
  }

  /** The number of the term, its requirements and their values. */
  static long entries(V1NodeSelectorTerm term) {
    return 1 + entries(term.getMatchExpressions()) + entries(term.getMatchFields());
  }

  private static long entries(@Nullable List<V1NodeSelectorRequirement> requirements) {
    return requireNonNullElse(requirements, List.<V1NodeSelectorRequirement>of()).stream()
        .mapToLong(one -> 1 + requireNonNullElse(one.getValues(), List.of()).size())
        .sum();
  }

  private static Term term(V1NodeSelectorTerm term) {
    return new Term(requirements(term.getMatchExpressions()), requirements(term.getMatchFields()));
  }

  private static ImmutableList<Requirement> requirements(
      @Nullable List<V1NodeSelectorRequirement> requirements) {
    return requireNonNullElse(requirements, List.<V1NodeSelectorRequirement>of()).stream()
        .map(NodeSelectors::requirement)
        .collect(ImmutableList.toImmutableList());
  }

  private static Requirement requirement(V1NodeSelectorRequirement requirement) {
    return new Requirement(
        requireNonNullElse(requirement.getKey(), ""),
        operator(requireNonNullElse(requirement.getOperator(), "")),
        ImmutableList.copyOf(requireNonNullElse(requirement.getValues(), List.<String>of())));
  }

  private static Operator operator(String operator) {
    return switch (operator) {
      case "In" -> Operator.IN;
      case "NotIn" -> Operator.NOT_IN;
      case "Exists" -> Operator.EXISTS;
      case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
      case "Gt" -> Operator.GREATER_THAN;
      case "Lt" -> Operator.LESS_THAN;
      default -> throw new IllegalArgumentException("node selector operator " + operator);
    };
  }
}
