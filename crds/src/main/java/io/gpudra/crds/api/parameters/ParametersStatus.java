package io.gpudra.crds.api.parameters;

import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the controller found out of parameters; of a class without summary.
 *
 * @param observedGeneration generation of the spec that the rest is about
 * @param summary what is asked for in one line; absent when that is not understood
 * @param matchingDevices devices that satisfy the spec, used or not; absent likewise, and where not
 *     all nodes were judged
 * @param matchingNodes nodes that could hold what is asked for if nobody used them; absent likewise
 * @param conditions {@link #VALID} and, of what is valid, {@link #SATISFIABLE}
 */
@WireRecord
public record ParametersStatus(
    @Nullable Long observedGeneration,
    @Nullable String summary,
    @Nullable Integer matchingDevices,
    @Nullable Integer matchingNodes,
    @Nullable List<Condition> conditions) {

  /** Whether the spec is understood and can be granted from. */
  public static final String VALID = "Valid";

  /** Whether there are devices for it, used or not. */
  public static final String SATISFIABLE = "Satisfiable";

  /** Longest summary, in characters. */
  public static final int MOST_SUMMARY = 128;

  /** Longest message of a condition, in characters. */
  public static final int MOST_MESSAGE = 2048;

  /** The same, said of this generation. */
  public ParametersStatus of(@Nullable Long generation) {
    return new ParametersStatus(generation, summary, matchingDevices, matchingNodes, conditions);
  }

  /** The same with other conditions. */
  public ParametersStatus with(List<Condition> others) {
    return new ParametersStatus(
        observedGeneration, summary, matchingDevices, matchingNodes, others);
  }
}
