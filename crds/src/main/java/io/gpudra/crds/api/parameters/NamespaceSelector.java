package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A label selector over namespaces, as in a NetworkPolicy; an empty one selects all.
 *
 * @param matchLabels labels that a namespace has
 * @param matchExpressions conditions that all hold
 */
@WireRecord
public record NamespaceSelector(
    @Nullable Map<String, String> matchLabels,
    @Nullable List<@Nullable Expression> matchExpressions) {

  private static final int MAX = 16;

  void check(ProblemList problems, String path) {
    if (matchLabels != null) {
      problems.checkAtMost(path + ".matchLabels", matchLabels.size(), MAX);
    }
    problems.checkItems(path + ".matchExpressions", matchExpressions, 0, MAX);
    for (int i = 0; matchExpressions != null && i < Math.min(matchExpressions.size(), MAX); i++) {
      Expression expression = matchExpressions.get(i);
      String at = "%s.matchExpressions[%d]".formatted(path, i);
      if (expression == null) {
        problems.required(at);
      } else {
        expression.check(problems, at);
      }
    }
  }

  /** Whether a namespace with these labels is selected. */
  public boolean matches(Map<String, String> labels) {
    boolean labelled = matchLabels == null || labels.entrySet().containsAll(matchLabels.entrySet());
    return labelled
        && (matchExpressions == null
            || matchExpressions.stream()
                .allMatch(expression -> expression != null && expression.matches(labels)));
  }

  /**
   * One condition.
   *
   * @param key of the label
   * @param operator one of {@link #OPERATORS}
   * @param values for In and NotIn
   */
  @WireRecord
  public record Expression(
      @Nullable String key, @Nullable String operator, @Nullable List<String> values) {

    private static final String IN = "In";
    private static final String NOT_IN = "NotIn";
    private static final String EXISTS = "Exists";
    private static final String DOES_NOT_EXIST = "DoesNotExist";
    private static final int MAX_VALUES = 64;
    private static final int MAX_KEY_CHARACTERS = 317;

    /** Allowed values of {@code operator}. */
    public static final ImmutableList<String> OPERATORS =
        ImmutableList.of(IN, NOT_IN, EXISTS, DOES_NOT_EXIST);

    private void check(ProblemList problems, String path) {
      if (key == null) {
        problems.required(path + ".key");
      }
      problems.checkLength(path + ".key", key, MAX_KEY_CHARACTERS);
      problems.checkOneOf(path + ".operator", operator, OPERATORS);
      problems.checkItems(path + ".values", values, 0, MAX_VALUES);
      boolean compares = IN.equals(operator) || NOT_IN.equals(operator);
      if (compares && (values == null || values.isEmpty())) {
        problems.required(path + ".values");
      }
    }

    /** An operator of a later schema selects nothing, since the selector protects the class. */
    private boolean matches(Map<String, String> labels) {
      String value = labels.get(String.valueOf(key));
      boolean listed = value != null && values != null && values.contains(value);
      return switch (String.valueOf(operator)) {
        case IN -> listed;
        case NOT_IN -> !listed;
        case EXISTS -> value != null;
        case DOES_NOT_EXIST -> value == null;
        default -> false;
      };
    }
  }
}
