package io.gpudra.controller.gpu.cel;

import static com.google.common.math.LongMath.saturatedAdd;
import static com.google.common.math.LongMath.saturatedMultiply;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The maximum size of a value in a condition.
 *
 * @param length characters, bytes, elements or entries; 0 for values without a length
 * @param weight of all its content: a character and a place in a list are 1 each
 * @param program the largest program of a text as a pattern
 * @param element of a list or map, the same bound for all of its keys and values
 */
record SizeBound(long length, long weight, long program, @Nullable SizeBound element) {

  static final SizeBound SCALAR = new SizeBound(0, 0, 0, null);

  /** A text, possibly any allowed pattern. */
  static SizeBound text(long length) {
    return new SizeBound(length, length, RegexCost.MAX, null);
  }

  static SizeBound literal(String text) {
    return new SizeBound(text.length(), text.length(), RegexCost.of(text), null);
  }

  static SizeBound list(long length, SizeBound element) {
    return new SizeBound(
        length, saturatedMultiply(length, saturatedAdd(1, element.weight)), 0, element);
  }

  static SizeBound list(List<SizeBound> elements) {
    SizeBound element = elements.stream().reduce(SCALAR, SizeBound::or);
    long weight =
        elements.stream().mapToLong(SizeBound::weight).reduce(elements.size(), SizeBound::plus);
    return new SizeBound(elements.size(), weight, 0, element);
  }

  private static long plus(long left, long right) {
    return saturatedAdd(left, right);
  }

  SizeBound elementOrScalar() {
    return element == null ? SCALAR : element;
  }

  /** The bound of either value. */
  SizeBound or(SizeBound other) {
    return new SizeBound(
        Math.max(length, other.length),
        Math.max(weight, other.weight),
        Math.max(program, other.program),
        elementOr(other));
  }

  /** The bound of a concatenation. */
  SizeBound then(SizeBound other) {
    return new SizeBound(
        saturatedAdd(length, other.length),
        saturatedAdd(weight, other.weight),
        RegexCost.MAX,
        elementOr(other));
  }

  /** The bound of this number of concatenated values. */
  SizeBound times(long count) {
    return new SizeBound(
        saturatedMultiply(count, length), saturatedMultiply(count, weight), program, element);
  }

  private @Nullable SizeBound elementOr(SizeBound other) {
    return element == null || other.element == null
        ? (element == null ? other.element : element)
        : element.or(other.element);
  }
}
