package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import org.jspecify.annotations.Nullable;

/**
 * Device taints that a claim puts up with; the meaning is that of a pod's toleration of node
 * taints.
 *
 * @param key of the taint; absent with operator Exists for every taint
 * @param operator Equal when absent
 * @param value for operator Equal
 * @param effect both when absent
 * @param tolerationSeconds for effect NoExecute, how long pods may stay; absent for ever
 */
@WireRecord
public record TolerationSpec(
    @Nullable String key,
    @Nullable String operator,
    @Nullable String value,
    @Nullable String effect,
    @Nullable Long tolerationSeconds) {

  /** The value must be the taint's. */
  public static final String EQUAL = "Equal";

  /** Any value will do. */
  public static final String EXISTS = "Exists";

  /** Allowed values of {@code operator}. */
  public static final ImmutableList<String> OPERATORS = ImmutableList.of(EQUAL, EXISTS);

  /** Pods on the device are evicted. */
  public static final String NO_EXECUTE = "NoExecute";

  /** Allowed values of {@code effect}. */
  public static final ImmutableList<String> EFFECTS = ImmutableList.of("NoSchedule", NO_EXECUTE);

  /** The operator that was meant. */
  public String operatorOrDefault() {
    return operator == null ? EQUAL : operator;
  }
}
