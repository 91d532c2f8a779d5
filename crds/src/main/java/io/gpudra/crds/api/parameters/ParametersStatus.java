package io.gpudra.crds.api.parameters;

import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The controller's findings about parameters; those of a class have no summary.
 *
 * @param observedGeneration generation of the spec that the other fields describe
 * @param summary the request in one line; absent when the spec is not valid
 * @param matchingDevices number of devices that satisfy the spec, allocated or free; absent
 *     likewise, and when not all nodes were evaluated
 * @param matchingNodes number of nodes that could serve the request if all devices were free;
 *     absent likewise
 * @param conditions {@link #VALID} and, of a valid spec, {@link #SATISFIABLE}
 */
@WireRecord
public record ParametersStatus(
    @Nullable Long observedGeneration,
    @Nullable String summary,
    @Nullable Integer matchingDevices,
    @Nullable Integer matchingNodes,
    @Nullable List<Condition> conditions) {

  /** Whether the spec is valid, so that claims can be allocated. */
  public static final String VALID = "Valid";

  /** Whether there are devices for the request, used or not. */
  public static final String SATISFIABLE = "Satisfiable";

  /** The maximum length of a summary, in characters. */
  public static final int MAX_SUMMARY = 128;

  /** The maximum length of a condition's message, in characters. */
  public static final int MAX_MESSAGE = 2048;

  /** The same status for this generation. */
  public ParametersStatus of(@Nullable Long generation) {
    return new ParametersStatus(generation, summary, matchingDevices, matchingNodes, conditions);
  }

  /** The same status with other conditions. */
  public ParametersStatus with(List<Condition> others) {
    return new ParametersStatus(
        observedGeneration, summary, matchingDevices, matchingNodes, others);
  }
}
