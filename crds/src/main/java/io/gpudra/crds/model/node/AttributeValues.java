package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import io.gpudra.crds.model.node.DeviceAttribute.Scope;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of a GPU's {@link DeviceAttribute#isReported reported} attributes. Equal GPUs share
 * one object.
 *
 * @param known values other than the unknown one, in the order of the attributes
 */
public record AttributeValues(ImmutableList<Value> known) {
  private static final Interner<AttributeValues> SHARED = Interners.newWeakInterner();

  /** Nothing is known. */
  public static final AttributeValues NONE = new AttributeValues(ImmutableList.of());

  /** A value, of the type of its attribute. */
  public record Value(DeviceAttribute attribute, Object value) {
    private boolean isKnown() {
      return !value.equals(attribute.type().unknown());
    }
  }

  /**
   * The values as they are written. A name that this version does not know is skipped: a newer
   * plugin may report more.
   */
  public static AttributeValues parse(@Nullable Map<String, @Nullable String> texts) {
    return texts == null || texts.isEmpty()
        ? NONE
        : of(Arrays.stream(DeviceAttribute.values()).flatMap(one -> parse(one, texts)));
  }

  private static Stream<Value> parse(
      DeviceAttribute attribute, Map<String, @Nullable String> texts) {
    String text = attribute.isReported() ? texts.get(attribute.shortName()) : null;
    return text == null
        ? Stream.empty()
        : attribute.type().parse(text).stream().map(value -> new Value(attribute, value));
  }

  private static AttributeValues of(Stream<Value> values) {
    ImmutableList<Value> known = values.filter(Value::isKnown).collect(toImmutableList());
    return known.isEmpty() ? NONE : SHARED.intern(new AttributeValues(known));
  }

  /** The texts by name, as {@link #parse} reads them. */
  public ImmutableMap<String, String> texts() {
    return known.stream()
        .collect(toImmutableMap(one -> one.attribute().shortName(), one -> one.value().toString()));
  }

  /** The value of a reported attribute. */
  public Object get(DeviceAttribute attribute) {
    for (Value one : known) {
      if (one.attribute() == attribute) {
        return one.value();
      }
    }
    return attribute.type().unknown();
  }

  /** The values without those that distinguish the device from all others. */
  public AttributeValues anonymous() {
    return known.isEmpty()
        ? this
        : of(known.stream().filter(one -> one.attribute().scope() != Scope.DEVICE));
  }
}
