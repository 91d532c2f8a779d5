package io.gpudra.controller.gpu;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.bundle.Cel;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import java.util.Optional;

/** Compiles conditions, each text once. */
final class Expressions {

  private static final int MOST_REMEMBERED = 1_000;

  private final Cel cel = CelLanguage.create();
  private final GpuAlerts alerts;
  private final LoadingCache<String, Compilation> compiled =
      CacheBuilder.newBuilder()
          .maximumSize(MOST_REMEMBERED)
          .build(CacheLoader.from(text -> compileNow(text)));

  Expressions(GpuAlerts alerts) {
    this.alerts = alerts;
  }

  Compilation compile(String text) {
    return compiled.getUnchecked(text);
  }

  private Compilation compileNow(String text) {
    CelValidationResult result = cel.compile(text);
    if (result.hasError()) {
      return new Compilation.Faulty(new CelFaults(cel, text).explain(result.getErrors()));
    }
    try {
      return checked(text, result.getAst());
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalStateException("compiling a checked condition: " + text, e);
    }
  }

  private Compilation checked(String text, CelAbstractSyntaxTree tree)
      throws CelEvaluationException {
    CelType type = tree.getResultType();
    if (!type.equals(SimpleType.BOOL)) {
      return new Compilation.Faulty(
          ImmutableList.of("must yield true or false, yields " + CelFaults.typeName(type)));
    }
    ImmutableList<String> literals = new CelLiterals(tree).problems();
    return literals.isEmpty()
        ? new Compilation.Compiled(
            new DeviceExpression(text, cel.createProgram(tree), attributes(tree), alerts))
        : new Compilation.Faulty(literals);
  }

  private static ImmutableSet<Attribute> attributes(CelAbstractSyntaxTree tree) {
    return tree.getReferenceMap().values().stream()
        .map(CelReference::name)
        .map(Attribute::named)
        .flatMap(Optional::stream)
        .sorted()
        .collect(ImmutableSet.toImmutableSet());
  }
}
