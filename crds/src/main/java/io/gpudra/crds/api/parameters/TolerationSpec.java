package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import org.jspecify.annotations.Nullable;

/**
 * Device taints that a claim tolerates; the meaning is that of a pod's toleration of node taints.
 *
 * @param key of the taint; absent with operator Exists for every taint
 * @param operator Equal when absent
 * @param value for operator Equal
 * @param effect both when absent
 * @param tolerationSeconds for effect NoExecute, how long pods may stay; absent for no limit
 */
@WireRecord
public record TolerationSpec(
    @Nullable String key,
    @Nullable String operator,
    @Nullable String value,
    @Nullable String effect,
    @Nullable Long tolerationSeconds) {

  /** The value must equal that of the taint. */
  public static final String EQUAL = "Equal";

  /** Any value matches. */
  public static final String EXISTS = "Exists";

  /** Allowed values of {@code operator}. */
  public static final ImmutableList<String> OPERATORS = ImmutableList.of(EQUAL, EXISTS);

  /** Pods on the device are evicted. */
  public static final String NO_EXECUTE = "NoExecute";

  /** Allowed values of {@code effect}. */
  public static final ImmutableList<String> EFFECTS = ImmutableList.of("NoSchedule", NO_EXECUTE);

  /** The operator, with its default. */
  public String operatorOrDefault() {
    return operator == null ? EQUAL : operator;
  }
}
