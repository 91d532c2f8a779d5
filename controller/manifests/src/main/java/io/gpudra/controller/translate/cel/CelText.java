package io.gpudra.controller.translate.cel;

import com.google.common.escape.Escaper;
import com.google.common.escape.Escapers;
import dev.cel.common.CelMutableAst;
import dev.cel.common.CelMutableSource;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableCall;
import dev.cel.common.navigation.CelNavigableMutableExpr;
import dev.cel.common.navigation.TraversalOrder;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.cel.parser.CelUnparser;
import dev.cel.parser.CelUnparserFactory;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Conditions as trees, and trees as texts. Macros stay calls, so everything that is not changed is
 * printed as its author wrote it.
 */
final class CelText {

  private static final String AND = "_&&_";

  private static final CelParser PARSER =
      CelParserFactory.standardCelParserBuilder()
          .setOptions(CelOptions.current().enableOptionalSyntax(true).build())
          .build();
  private static final CelUnparser PRINTER = CelUnparserFactory.newUnparser();
  private static final Escaper ESCAPER = escaper();

  private CelText() {}

  private static Escaper escaper() {
    Escapers.Builder builder = Escapers.builder();
    for (char c = 0; c < ' '; c++) {
      builder.addEscape(c, "\\u%04x".formatted((int) c));
    }
    return builder
        .addEscape('\n', "\\n")
        .addEscape('\r', "\\r")
        .addEscape('\t', "\\t")
        .addEscape('\\', "\\\\")
        .addEscape('"', "\\\"")
        .build();
  }

  /** The tree of a condition; empty if it is none. */
  static Optional<CelMutableAst> parse(String condition) {
    CelValidationResult parsed = PARSER.parse(condition);
    try {
      return parsed.hasError()
          ? Optional.empty()
          : Optional.of(CelMutableAst.fromCelAst(parsed.getAst()));
    } catch (CelValidationException e) {
      throw new IllegalStateException("a condition without errors: " + condition, e);
    }
  }

  /** The parts that must all hold. */
  static Stream<CelMutableExpr> conjuncts(CelMutableExpr node) {
    return isCall(node, AND)
        ? node.call().args().stream().flatMap(CelText::conjuncts)
        : Stream.of(node);
  }

  /**
   * The text of a condition all of whose parts must hold; empty if there are none. The parts are
   * not to be used again: the printer does not escape strings, so they are changed.
   */
  static String print(List<CelMutableExpr> conjuncts) {
    return conjuncts.stream()
        .reduce((left, right) -> CelMutableExpr.ofCall(CelMutableCall.create(AND, left, right)))
        .map(all -> CelMutableAst.of(all, CelMutableSource.newInstance()))
        .map(CelText::printed)
        .orElse("");
  }

  private static String printed(CelMutableAst tree) {
    nodes(tree.expr())
        .forEach(
            node ->
                string(node)
                    .map(ESCAPER::escape)
                    .ifPresent(text -> node.setConstant(CelConstant.ofValue(text))));
    return PRINTER.unparse(tree.toParsedAst());
  }

  /** A node and all nodes in it, each before those in it. */
  static List<CelMutableExpr> nodes(CelMutableExpr node) {
    return CelNavigableMutableExpr.fromExpr(node)
        .allNodes(TraversalOrder.PRE_ORDER)
        .map(CelNavigableMutableExpr::expr)
        .toList();
  }

  /** The text of the author, if the other one differs from it in its layout only. */
  static String kept(String written, String other) {
    return parse(written)
        .filter(tree -> print(List.of(tree.expr())).equals(other))
        .map(tree -> written)
        .orElse(other);
  }

  /** A string as a condition has it. */
  static String quoted(String text) {
    return '"' + ESCAPER.escape(text) + '"';
  }

  /** Makes a node what a text says. */
  static void graft(CelMutableExpr node, String text) {
    CelMutableExpr grafted = parse(text).orElseThrow().expr();
    switch (grafted.getKind()) {
      case CALL -> node.setCall(grafted.call());
      case SELECT -> node.setSelect(grafted.select());
      default -> node.setConstant(grafted.constant());
    }
  }

  /** What is directly in it. */
  static List<CelMutableExpr> children(CelMutableExpr node) {
    return CelNavigableMutableExpr.fromExpr(node)
        .children()
        .map(CelNavigableMutableExpr::expr)
        .toList();
  }

  /** Whether it is a call of that function or operator. */
  static boolean isCall(CelMutableExpr node, String function) {
    return node.getKind() == Kind.CALL && node.call().function().equals(function);
  }

  /** The value of a string. */
  static Optional<String> string(CelMutableExpr node) {
    return constant(node, CelConstant.Kind.STRING_VALUE).map(CelConstant::stringValue);
  }

  /** The value of an integer. */
  static Optional<Long> integer(CelMutableExpr node) {
    return constant(node, CelConstant.Kind.INT64_VALUE).map(CelConstant::int64Value);
  }

  private static Optional<CelConstant> constant(CelMutableExpr node, CelConstant.Kind kind) {
    return node.getKind() == Kind.CONSTANT && node.constant().getKind() == kind
        ? Optional.of(node.constant())
        : Optional.empty();
  }

  /** The text in a call such as {@code quantity('40Gi')}. */
  static Optional<String> argument(CelMutableExpr node, String function) {
    return isCall(node, function) && node.call().args().size() == 1
        ? string(node.call().args().get(0))
        : Optional.empty();
  }
}
