package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Streams;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reads the texts in {@code quantity('40Gi')}, {@code version('8.0')} and {@code matches('A100')}
 * when a condition is compiled, so that a wrong one is a mistake told at once, not a condition that
 * never holds.
 */
final class CelLiterals {

  private static final ImmutableMap<String, Consumer<String>> READERS =
      ImmutableMap.of(
          "quantity", CelLanguage::quantity,
          "version", CelLanguage::version,
          "matches", PatternSize::compile);

  private final CelAbstractSyntaxTree tree;

  CelLiterals(CelAbstractSyntaxTree tree) {
    this.tree = tree;
  }

  ImmutableList<String> problems() {
    return CelNavigableAst.fromAst(tree)
        .getRoot()
        .allNodes()
        .map(CelNavigableExpr::expr)
        .filter(expr -> expr.getKind() == CelExpr.ExprKind.Kind.CALL)
        .flatMap(this::problem)
        .collect(ImmutableList.toImmutableList());
  }

  private Stream<String> problem(CelExpr expr) {
    String function = expr.call().function();
    Consumer<String> reader = READERS.get(function);
    return reader == null
        ? Stream.empty()
        : literal(expr).flatMap(text -> refusal(reader, text)).stream()
            .map(why -> "%s: %s: %s".formatted(column(expr), function, why));
  }

  /** The last argument: {@code matches(text, 'A100')} is {@code text.matches('A100')}. */
  private static Optional<String> literal(CelExpr expr) {
    return Streams.findLast(expr.call().args().stream())
        .filter(argument -> argument.getKind() == CelExpr.ExprKind.Kind.CONSTANT)
        .map(CelExpr::constant)
        .filter(constant -> constant.getKind() == CelConstant.Kind.STRING_VALUE)
        .map(CelConstant::stringValue);
  }

  private static Optional<String> refusal(Consumer<String> reader, String text) {
    try {
      reader.accept(text);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("\"%s\": %s".formatted(CelFaults.shortened(text), e.getMessage()));
    }
  }

  /** Counted from 1, of the whole text. */
  private int column(CelExpr expr) {
    return tree.getSource().getPositionsMap().getOrDefault(expr.id(), 0) + 1;
  }
}
