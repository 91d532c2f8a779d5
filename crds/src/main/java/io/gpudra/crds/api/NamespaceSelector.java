package io.gpudra.crds.api;

import com.google.common.collect.ImmutableList;
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
    @Nullable Map<String, String> matchLabels, @Nullable List<Expression> matchExpressions) {

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

    /** Allowed values of {@code operator}. */
    public static final ImmutableList<String> OPERATORS =
        ImmutableList.of("In", "NotIn", "Exists", "DoesNotExist");
  }
}
