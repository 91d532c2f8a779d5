package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import org.jspecify.annotations.Nullable;

/**
 * A core/v1 NodeSelector: terms are alternatives, requirements of a term must all hold, an empty
 * term matches nothing.
 */
public record NodeSelector(ImmutableList<Term> terms) {

  /** Whether the node satisfies at least one term. */
  public boolean matches(NodeState node) {
    return terms.stream().anyMatch(term -> term.matches(node));
  }

  /**
   * One alternative.
   *
   * @param labels requirements on labels ({@code matchExpressions})
   * @param fields requirements on {@code metadata.name} ({@code matchFields})
   */
  public record Term(ImmutableList<Requirement> labels, ImmutableList<Requirement> fields) {
    private boolean matches(NodeState node) {
      return !(labels.isEmpty() && fields.isEmpty())
          && labels.stream().allMatch(r -> r.matches(node.labels().get(r.key())))
          && fields.stream()
              .allMatch(r -> r.key().equals("metadata.name") && r.matches(node.name()));
    }
  }

  /** One condition on one key. */
  public record Requirement(String key, Operator operator, ImmutableList<String> values) {
    private boolean matches(@Nullable String value) {
      return switch (operator) {
        case IN -> value != null && values.contains(value);
        case NOT_IN -> value == null || !values.contains(value);
        case EXISTS -> value != null;
        case DOES_NOT_EXIST -> value == null;
        case GREATER_THAN -> value != null && compare(value) > 0;
        case LESS_THAN -> value != null && compare(value) < 0;
      };
    }

    /** Compares numbers; 0, which satisfies neither comparison, when one side is no integer. */
    private int compare(String value) {
      Long actual = Longs.tryParse(value);
      Long limit = values.size() == 1 ? Longs.tryParse(values.get(0)) : null;
      return actual == null || limit == null ? 0 : actual.compareTo(limit);
    }
  }

  /** The operators of core/v1. */
  public enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    DOES_NOT_EXIST,
    GREATER_THAN,
    LESS_THAN
  }
}
