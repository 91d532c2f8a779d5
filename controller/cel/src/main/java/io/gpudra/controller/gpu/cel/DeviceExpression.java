package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceAttribute;
import org.jspecify.annotations.Nullable;

/**
 * A checked condition. It holds no program, since many claims may wait with a condition each;
 * {@link ConditionCompiler} has the programs.
 *
 * @param reads all attributes on which its value depends
 * @param mayFail whether there may be devices on which it has no value
 * @param steps the most that it takes on one device
 * @param number of this compilation; expressions of one text are equal
 */
public record DeviceExpression(
    String text, ImmutableSet<DeviceAttribute> reads, boolean mayFail, int steps, int number) {

  /** The steps and characters that cost a search nothing: most conditions are short. */
  private static final int FREE = 256;

  /**
   * What a search pays for it on one device: its steps, and its characters, since a text that was
   * forgotten is compiled again.
   */
  public int effort() {
    return Math.max(0, steps + text.length() - FREE);
  }

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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeviceExpression expression && text.equals(expression.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
