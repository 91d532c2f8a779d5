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
record Extent(long length, long weight, long program, @Nullable Extent element) {

  static final Extent SCALAR = new Extent(0, 0, 0, null);

  /** A text, possibly any allowed pattern. */
  static Extent text(long length) {
    return new Extent(length, length, PatternSize.MAX, null);
  }

  static Extent literal(String text) {
    return new Extent(text.length(), text.length(), PatternSize.of(text), null);
  }

  static Extent list(long length, Extent element) {
    return new Extent(
        length, saturatedMultiply(length, saturatedAdd(1, element.weight)), 0, element);
  }

  static Extent list(List<Extent> elements) {
    Extent element = elements.stream().reduce(SCALAR, Extent::or);
    long weight = elements.stream().mapToLong(Extent::weight).reduce(elements.size(), Extent::plus);
    return new Extent(elements.size(), weight, 0, element);
  }

  private static long plus(long left, long right) {
    return saturatedAdd(left, right);
  }

  Extent elementOrScalar() {
    return element == null ? SCALAR : element;
  }

  /** The bound of either value. */
  Extent or(Extent other) {
    return new Extent(
        Math.max(length, other.length),
        Math.max(weight, other.weight),
        Math.max(program, other.program),
        elementOr(other));
  }

  /** The bound of a concatenation. */
  Extent then(Extent other) {
    return new Extent(
        saturatedAdd(length, other.length),
        saturatedAdd(weight, other.weight),
        PatternSize.MAX,
        elementOr(other));
  }

  /** The bound of so many concatenated values. */
  Extent times(long count) {
    return new Extent(
        saturatedMultiply(count, length), saturatedMultiply(count, weight), program, element);
  }

  private @Nullable Extent elementOr(Extent other) {
    return element == null || other.element == null
        ? (element == null ? other.element : element)
        : element.or(other.element);
  }
}
