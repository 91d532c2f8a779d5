package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceAttribute;

/**
 * A checked condition. It holds no program, since many claims may wait with a condition each;
 * {@link ConditionCompiler} has the programs.
 *
 * @param reads all attributes on which its value depends
 * @param mayFail whether there may be devices on which it has no value
 */
public record DeviceExpression(String text, ImmutableSet<DeviceAttribute> reads, boolean mayFail) {

  /** Whether its value depends on that. */
  public boolean reads(DeviceAttribute attribute) {
    return reads.contains(attribute);
  }

  /** The values of a device that it reads, in the order of {@link #reads}. */
  ImmutableList<Object> values(CelDevice device) {
    return reads.stream()
        .map(attribute -> AttributeReader.value(attribute, device))
        .collect(ImmutableList.toImmutableList());
  }
}
