package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;

/**
 * A checked condition. Holds no program, since many claims may wait with a condition each: {@link
 * Expressions} has that.
 *
 * @param reads all that its value depends on
 */
public record DeviceExpression(String text, ImmutableSet<Attribute> reads) {

  /** Whether its value depends on that. */
  public boolean reads(Attribute attribute) {
    return reads.contains(attribute);
  }

  /** What it reads of a device, in the order of {@link #reads}. */
  ImmutableList<Object> values(Device device) {
    return reads.stream()
        .map(attribute -> attribute.of(device))
        .collect(ImmutableList.toImmutableList());
  }
}
