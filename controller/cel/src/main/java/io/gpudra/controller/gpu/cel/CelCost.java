package io.gpudra.controller.gpu.cel;

import static com.google.common.math.LongMath.saturatedAdd;
import static com.google.common.math.LongMath.saturatedMultiply;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelReference;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The maximum cost of a condition on one device, found without evaluating it: dev.cel only counts
 * iterations. A step is the evaluation of one node of the tree, with some 300 bytes of garbage.
 * Operations on text, patterns and failures count as equivalent steps.
 */
final class CelCost {

  /** The maximum of steps on one device; devices of one model are evaluated once. */
  static final long MAX_STEPS = 8_000;

  /** The maximum if each device must be evaluated: 40,000 of them take seconds, not minutes. */
  static final long MAX_STEP_DIFFERENCE = 500;

  /** Parts of a step, each some 30 bytes. */
  private static final long STEP = 10;

  /** An exception with its stack trace. */
  private static final long FAILURE = 40 * STEP;

  private static final long ITERATION = 2 * STEP;

  /** A failure of the step, of the earlier accumulation, and of the loop condition. */
  private static final long FAILURES_OF_LOOP = 3 * FAILURE;

  /** Operands that may fail without failing the operator. */
  private static final ImmutableSet<String> LENIENT = ImmutableSet.of("_&&_", "_||_");

  private final CelAbstractSyntaxTree tree;

  /**
   * The bound of one node and all below it.
   *
   * @param parts of steps
   * @param fails whether the result may be an error
   */
  private record Bound(long parts, SizeBound value, boolean fails) {

    Bound and(Bound other) {
      return new Bound(saturatedAdd(parts, other.parts), other.value, fails || other.fails);
    }

    /** As an operand whose failure is kept as a value. */
    Bound lenient() {
      return fails ? new Bound(saturatedAdd(parts, FAILURE), value, true) : this;
    }
  }

  private CelCost(CelAbstractSyntaxTree tree) {
    this.tree = tree;
  }

  /** The maximum number of steps on one device. */
  static long steps(CelAbstractSyntaxTree checked) {
    return new CelCost(checked).bound(checked.getExpr(), null).parts / STEP;
  }

  static boolean mayFail(CelAbstractSyntaxTree checked) {
    return new CelCost(checked).bound(checked.getExpr(), null).fails;
  }

  private Bound bound(CelExpr expr, @Nullable Scope<Bound> scope) {
    return switch (expr.getKind()) {
      case CONSTANT -> node(constant(expr.constant()));
      case IDENT -> variable(expr, expr.ident().name(), scope);
      case SELECT -> select(expr, scope);
      case CALL -> call(expr, scope);
      case LIST -> elements(expr.list().elements().stream(), scope, false);
      case MAP ->
          elements(
              expr.map().entries().stream().flatMap(entry -> Stream.of(entry.key(), entry.value())),
              scope,
              true);
      case COMPREHENSION -> loop(expr.comprehension(), scope);
      case STRUCT, NOT_SET -> new Bound(Long.MAX_VALUE, SizeBound.SCALAR, true);
    };
  }

  private static Bound node(SizeBound value) {
    return new Bound(STEP, value, false);
  }

  private static SizeBound constant(CelConstant constant) {
    return switch (constant.getKind()) {
      case STRING_VALUE -> SizeBound.literal(constant.stringValue());
      case BYTES_VALUE -> SizeBound.text(constant.bytesValue().size());
      default -> SizeBound.SCALAR;
    };
  }

  private Bound variable(CelExpr expr, String written, @Nullable Scope<Bound> scope) {
    String name = tree.getReference(expr.id()).map(CelReference::name).orElse(written);
    Optional<Bound> local = Scope.find(scope, name);
    return local.isPresent()
        ? new Bound(STEP, local.get().value, local.get().fails)
        : node(DeviceAttribute.named(name).map(AttributeReader::most).orElse(SizeBound.SCALAR));
  }

  private Bound select(CelExpr expr, @Nullable Scope<Bound> scope) {
    if (tree.getReference(expr.id()).isPresent()) {
      return variable(expr, "", scope);
    }
    Bound operand = bound(expr.select().operand(), scope);
    return new Bound(saturatedAdd(operand.parts, STEP), operand.value.elementOrScalar(), true);
  }

  private Bound elements(Stream<CelExpr> elements, @Nullable Scope<Bound> scope, boolean fails) {
    ImmutableList<Bound> bounds =
        elements.map(one -> bound(one, scope)).collect(ImmutableList.toImmutableList());
    Bound all = sum(bounds);
    return new Bound(
        saturatedAdd(all.parts, bounds.size()), SizeBound.list(values(bounds)), fails || all.fails);
  }

  private static Bound sum(List<Bound> bounds) {
    return bounds.stream().reduce(node(SizeBound.SCALAR), Bound::and);
  }

  private static ImmutableList<SizeBound> values(List<Bound> bounds) {
    return bounds.stream().map(Bound::value).collect(ImmutableList.toImmutableList());
  }

  private Bound call(CelExpr expr, @Nullable Scope<Bound> scope) {
    String function = expr.call().function();
    ImmutableList<Bound> operands =
        Stream.concat(expr.call().target().stream(), expr.call().args().stream())
            .map(one -> bound(one, scope))
            .map(one -> LENIENT.contains(function) ? one.lenient() : one)
            .collect(ImmutableList.toImmutableList());
    CelFunctions.Work work = CelFunctions.work(function, values(operands));
    Bound all = sum(operands);
    return new Bound(
        saturatedAdd(all.parts, work.parts()), work.result(), all.fails || mayFail(expr));
  }

  private boolean mayFail(CelExpr expr) {
    return !ConditionCompiler.CelLiterals.isValid(expr)
        && CelFunctions.mayFail(
            expr.call().function(),
            tree.getReference(expr.id()).map(CelReference::overloadIds).orElse(ImmutableList.of()));
  }

  /** Only macros make loops: what they accumulate is a list that grows evenly, or has no length. */
  private Bound loop(CelExpr.CelComprehension loop, @Nullable Scope<Bound> scope) {
    Bound range = bound(loop.iterRange(), scope);
    Bound start = bound(loop.accuInit(), scope);
    Scope<Bound> element = new Scope<>(loop.iterVar(), node(range.value.elementOrScalar()), scope);
    Scope<Bound> inside = new Scope<>(loop.accuVar(), start, element);
    Bound step = bound(loop.loopStep(), inside);
    Bound once = step.and(bound(loop.loopCondition(), inside));
    long count = range.value.length();
    Bound end = new Bound(STEP, step.value.times(count), step.fails);
    Bound result = bound(loop.result(), new Scope<>(loop.accuVar(), end, scope));
    long parts =
        saturatedMultiply(
            count, saturatedAdd(once.parts, step.fails ? ITERATION + FAILURES_OF_LOOP : ITERATION));
    return new Bound(saturatedAdd(STEP, parts), SizeBound.SCALAR, false)
        .and(range)
        .and(start)
        .and(new Bound(end.value.length(), SizeBound.SCALAR, false))
        .and(result);
  }
}
