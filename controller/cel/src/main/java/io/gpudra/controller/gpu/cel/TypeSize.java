package io.gpudra.controller.gpu.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The maximum number of names in the types of a condition's values, found before the type check:
 * dev.cel builds each type as a separate tree, so repeating {@code [1].map(x, {x: x})} doubles it
 * each time, and 300 characters would fill the heap.
 */
final class TypeSize {

  /** A list of maps of lists has five. */
  static final int MAX = 16;

  private static final int SCALAR = 1;
  private static final int LIST_OF_SCALARS = 2;

  /** Small enough that no combination overflows. */
  private static final int TOO_MUCH = 1_000;

  private int most;
  private long beyondScalars;

  private TypeSize() {}

  /**
   * The sizes of a parsed tree.
   *
   * @param most the maximum of one value
   * @param beyondScalars the sum of all values, without one name for each
   */
  record Sizes(int most, long beyondScalars) {}

  static Sizes of(CelAbstractSyntaxTree parsed) {
    TypeSize all = new TypeSize();
    all.size(parsed.getExpr(), null);
    return new Sizes(all.most, all.beyondScalars);
  }

  private int size(CelExpr expr, @Nullable Scope<Integer> scope) {
    int size = Math.min(TOO_MUCH, below(expr, scope));
    most = Math.max(most, size);
    beyondScalars += size - SCALAR;
    return size;
  }

  private int below(CelExpr expr, @Nullable Scope<Integer> scope) {
    return switch (expr.getKind()) {
      case CONSTANT, STRUCT, NOT_SET -> SCALAR;
      case IDENT -> Scope.find(scope, expr.ident().name()).orElse(LIST_OF_SCALARS);
      case SELECT -> size(expr.select().operand(), scope);
      case CALL ->
          Math.max(
              LIST_OF_SCALARS,
              largest(
                  Stream.concat(expr.call().target().stream(), expr.call().args().stream()),
                  scope));
      case LIST -> SCALAR + largest(expr.list().elements().stream(), scope);
      case MAP ->
          SCALAR
              + largest(expr.map().entries().stream().map(CelExpr.CelMap.Entry::key), scope)
              + largest(expr.map().entries().stream().map(CelExpr.CelMap.Entry::value), scope);
      case COMPREHENSION -> loop(expr.comprehension(), scope);
    };
  }

  private int largest(Stream<CelExpr> exprs, @Nullable Scope<Integer> scope) {
    return exprs.mapToInt(one -> size(one, scope)).max().orElse(SCALAR);
  }

  /**
   * An element has one name less than its list. The accumulated value is as large as one step makes
   * it.
   */
  private int loop(CelExpr.CelComprehension loop, @Nullable Scope<Integer> scope) {
    int element = Math.max(SCALAR, size(loop.iterRange(), scope) - 1);
    int start = size(loop.accuInit(), scope);
    Scope<Integer> inside =
        new Scope<>(loop.accuVar(), start, new Scope<>(loop.iterVar(), element, scope));
    size(loop.loopCondition(), inside);
    int end = Math.max(start, size(loop.loopStep(), inside));
    return size(loop.result(), new Scope<>(loop.accuVar(), end, scope));
  }
}
