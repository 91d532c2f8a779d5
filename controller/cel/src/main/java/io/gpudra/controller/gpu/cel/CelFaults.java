package io.gpudra.controller.gpu.cel;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelType;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains the problems of a condition to its user (api.md 2.8, M1 to M3). The checker reports only
 * its own sentences, so these are matched. A sentence that is not recognized is shown unchanged.
 */
final class CelFaults {

  private static final Pattern NO_OVERLOAD =
      Pattern.compile(
          "found no matching overload for '([^']+)' applied to '([^']*)'.*", Pattern.DOTALL);
  private static final Pattern UNDECLARED =
      Pattern.compile("undeclared reference to '([^']+)'.*", Pattern.DOTALL);
  private static final String DID_YOU_MEAN = ", did you mean \"%s\"?";
  private static final int MAX_CHARACTERS = 200;
  private static final int MAX_PROBLEMS = 8;

  private CelFaults() {}

  static String typeName(CelType type) {
    return type.name();
  }

  /** Explains problems found by the parser. */
  static ImmutableList<String> explain(List<CelIssue> issues) {
    return explain(ImmutableList.of(), issues);
  }

  /** Explains problems found by the checker in a tree. */
  static ImmutableList<String> explain(CelAbstractSyntaxTree parsed, List<CelIssue> issues) {
    return explain(unknownAttributes(parsed), issues);
  }

  private static ImmutableList<String> explain(
      ImmutableList<CelExpr> misspelt, List<CelIssue> issues) {
    ImmutableSet.Builder<String> problems = ImmutableSet.builder();
    misspelt.forEach(
        select ->
            problems.add(
                unknown(
                    "device attribute", select.select().field(), DeviceAttribute.shortNames())));
    for (CelIssue issue : issues) {
      if (misspelt.isEmpty() || !about(issue, DeviceAttribute.ROOT)) {
        problems.add(column(issue) + ": " + explain(issue));
      }
    }
    return problems.build().asList().stream()
        .limit(MAX_PROBLEMS)
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean about(CelIssue issue, String name) {
    Matcher undeclared = UNDECLARED.matcher(issue.getMessage());
    return undeclared.matches() && name.equals(undeclared.group(1));
  }

  /** {@code device.memry}: selections from the root that are no attribute. */
  private static ImmutableList<CelExpr> unknownAttributes(CelAbstractSyntaxTree parsed) {
    return CelNavigableAst.fromAst(parsed)
        .getRoot()
        .allNodes()
        .map(CelNavigableExpr::expr)
        .filter(CelFaults::isUnknownAttribute)
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isUnknownAttribute(CelExpr expr) {
    if (expr.getKind() != CelExpr.ExprKind.Kind.SELECT) {
      return false;
    }
    CelExpr from = expr.select().operand();
    return from.getKind() == CelExpr.ExprKind.Kind.IDENT
        && from.ident().name().equals(DeviceAttribute.ROOT)
        && !DeviceAttribute.shortNames().contains(expr.select().field());
  }

  static String unknown(String what, String name, Collection<String> known) {
    return "unknown %s \"%s\"%s"
        .formatted(
            what,
            shortened(name),
            NameSuggestion.nearest(name, known)
                .map(DID_YOU_MEAN::formatted)
                .orElse("; there are: " + String.join(", ", known)));
  }

  private static int column(CelIssue issue) {
    return issue.getSourceLocation().getColumn() + 1;
  }

  private static String explain(CelIssue issue) {
    String message = issue.getMessage();
    Matcher overload = NO_OVERLOAD.matcher(message);
    if (overload.matches()) {
      return noOverload(overload.group(1), overload.group(2));
    }
    Matcher undeclared = UNDECLARED.matcher(message);
    if (undeclared.matches()) {
      return unknownName(undeclared.group(1));
    }
    return shortened(Splitter.on('\n').split(message).iterator().next());
  }

  static String shortened(String text) {
    return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
  }

  private static String unknownName(String name) {
    return name.equals(DeviceAttribute.ROOT)
        ? "device is no value itself; write device. and one of its attributes"
        : "unknown name \"%s\"%s"
            .formatted(
                shortened(name),
                NameSuggestion.nearest(name, List.of(DeviceAttribute.ROOT))
                    .map(DID_YOU_MEAN::formatted)
                    .orElse(""));
  }

  private static String noOverload(String function, String types) {
    List<String> arguments =
        Splitter.onPattern("[(),]|\\.\\(").trimResults().omitEmptyStrings().splitToList(types);
    String shown = Joiner.on(" and ").join(arguments);
    return operator(function)
            .map(symbol -> "no operator %s for %s".formatted(symbol, shown))
            .orElseGet(() -> "no function %s for %s".formatted(function, shown))
        + advice(arguments);
  }

  private static Optional<String> operator(String function) {
    String symbol =
        function.equals("@in") ? "in" : function.replace("_", "").toLowerCase(Locale.ROOT);
    boolean named = Character.isLetter(function.charAt(0));
    return named ? Optional.empty() : Optional.of(symbol);
  }

  private static String advice(List<String> types) {
    if (types.contains("int") && types.contains("string")) {
      return "; compare sizes with quantity('40Gi')";
    }
    return types.contains("version")
        ? "; compare versions with version('8.0'), the device's on the left"
        : "";
  }
}
