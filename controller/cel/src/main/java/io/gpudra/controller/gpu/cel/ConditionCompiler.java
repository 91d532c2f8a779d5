package io.gpudra.controller.gpu.cel;

import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import com.google.common.primitives.Ints;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelReference;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.navigation.CelNavigableExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import io.gpudra.controller.memory.HashBoundCache;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.memory.SaltedText;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Compiles conditions and evaluates devices with them. Each text is compiled once, while it is
 * remembered. Devices with equal values of the attributes that it reads are evaluated once: most
 * conditions are about the model, and a cluster has few models.
 */
public final class ConditionCompiler {

  private static final int MAX_PROBLEMS = 8;
  private static final long MAX_SHOWN = 1_000_000_000;

  private static final String TYPE_TOO_LARGE =
      "nests lists or maps too deeply: the type of a value may consist of %d names, as list(string)"
              .formatted(TypeSize.MAX)
          + " does of two";

  private final V1SyntaxRewriter v1SyntaxRewriter;
  private final ConditionAlerts alerts;
  private final LoadingCache<SaltedText, Prepared> prepared;
  private final HashBoundCache<ResultKey, Boolean> results;
  private final AtomicInteger compiled = new AtomicInteger();

  /** A compiler that remembers nothing yet. */
  public ConditionCompiler(String driver, ConditionAlerts alerts) {
    this(driver, alerts, MemoryBudget.ALL);
  }

  /**
   * A compiler that remembers nothing yet.
   *
   * @param share of the {@link MemoryBudget}
   */
  public ConditionCompiler(String driver, ConditionAlerts alerts, int share) {
    this.v1SyntaxRewriter = new V1SyntaxRewriter(driver);
    this.alerts = alerts;
    this.prepared =
        MemoryBudget.EXPRESSIONS
            .<SaltedText, Prepared>cache(share, (text, one) -> one.bytes())
            .build(CacheLoader.from(text -> prepareNow(text.toString())));
    this.results =
        new HashBoundCache<>(
            MemoryBudget.RESULTS.cache(share, (resultKey, result) -> resultKey.bytes()));
  }

  /** The cached data of a text. */
  private record Prepared(
      CompilationResult compilation, Optional<CelRuntime.Program> program, int bytes) {

    /** A node of a tree, its type and its reference. */
    private static final int NODE = 400;

    /** The bytes of each name in a composed type. */
    private static final int PART_OF_TYPE = 50;

    static Prepared faulty(String text, List<String> problems) {
      int bytes = MemoryBudget.ENTRY + 2 * text.length();
      for (String problem : problems) {
        bytes += MemoryBudget.ENTRY + 2 * problem.length();
      }
      return new Prepared(
          new CompilationResult.Faulty(ImmutableList.copyOf(problems)), Optional.empty(), bytes);
    }

    static Prepared compiled(
        DeviceExpression expression, CelRuntime.Program program, int nodes, TypeSize.Sizes types) {
      long bytesOfTypes = PART_OF_TYPE * types.beyondScalars();
      return new Prepared(
          new CompilationResult.Compiled(expression),
          Optional.of(program),
          Ints.saturatedCast(
              MemoryBudget.ENTRY + 4 * expression.text().length() + nodes * NODE + bytesOfTypes));
    }
  }

  /**
   * Devices with these values of the attributes that the text reads.
   *
   * @param expression its number: the text is as long as a tenant likes
   */
  private record ResultKey(int expression, ImmutableList<Object> values) {

    private static final int VALUE = 80;
    private static final int ELEMENT = 8;

    int bytes() {
      int bytes = MemoryBudget.ENTRY;
      for (Object value : values) {
        bytes += VALUE + size(value);
      }
      return bytes;
    }

    private static int size(Object value) {
      return value instanceof String text
          ? text.length()
          : value instanceof List<?> list ? ELEMENT * list.size() : 0;
    }
  }

  /** The result of compiling a text, once while it is remembered. */
  public CompilationResult compile(String text) {
    return prepared.getUnchecked(new SaltedText(text)).compilation();
  }

  /** Whether a device satisfies a condition; false if the evaluation fails. */
  public boolean matches(DeviceExpression expression, CelDevice device) {
    ResultKey resultKey = new ResultKey(expression.number(), expression.values(device));
    return results.get(
        resultKey,
        () ->
            prepared
                .getUnchecked(new SaltedText(expression.text()))
                .program()
                .map(
                    program ->
                        evaluate(expression.text(), program, bound(expression, resultKey.values())))
                .orElse(false));
  }

  private static ImmutableMap<String, Object> bound(
      DeviceExpression expression, ImmutableList<Object> values) {
    ImmutableMap.Builder<String, Object> variables = ImmutableMap.builder();
    for (int i = 0; i < values.size(); i++) {
      variables.put(expression.reads().asList().get(i).variable(), values.get(i));
    }
    return variables.buildOrThrow();
  }

  /** CEL returns an unknown set instead of an exception for a missing variable: never a match. */
  private boolean evaluate(String text, CelRuntime.Program program, Map<String, Object> variables) {
    try {
      Object result = program.eval(variables);
      if (!(result instanceof Boolean)) {
        alerts.conditionBroken(text, result.getClass().getSimpleName());
      }
      return Boolean.TRUE.equals(result);
    } catch (CelEvaluationException e) {
      alerts.conditionFailed(text, CelFaults.shortened(String.valueOf(e.getMessage())));
      return false;
    }
  }

  private Prepared prepareNow(String text) {
    CelValidationResult parsed = CelLanguage.cel().parse(text);
    if (parsed.hasError()) {
      return Prepared.faulty(text, CelFaults.explain(parsed.getErrors()));
    }
    try {
      V1SyntaxRewriter.Flat flat = v1SyntaxRewriter.flat(text, parsed.getAst());
      return flat.problems().isEmpty()
          ? prepareNow(text, flat.tree())
          : Prepared.faulty(text, few(flat.problems()));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalStateException("compiling a checked condition: " + text, e);
    }
  }

  private Prepared prepareNow(String text, CelAbstractSyntaxTree parsed)
      throws CelValidationException, CelEvaluationException {
    TypeSize.Sizes types = TypeSize.of(parsed);
    if (types.most() > TypeSize.MAX) {
      return Prepared.faulty(text, ImmutableList.of(TYPE_TOO_LARGE));
    }
    CelValidationResult result = CelLanguage.cel().check(parsed);
    if (result.hasError()) {
      return Prepared.faulty(text, CelFaults.explain(parsed, result.getErrors()));
    }
    CelAbstractSyntaxTree tree = result.getAst();
    ImmutableList<String> problems = problems(tree);
    return problems.isEmpty()
        ? Prepared.compiled(
            new DeviceExpression(
                text,
                attributes(tree),
                CelCost.mayFail(tree),
                Ints.saturatedCast(CelCost.steps(tree)),
                compiled.getAndIncrement()),
            CelLanguage.cel().createProgram(tree),
            tree.getTypeMap().size(),
            types)
        : Prepared.faulty(text, few(problems));
  }

  private static ImmutableList<String> few(ImmutableList<String> problems) {
    return problems.subList(0, Math.min(MAX_PROBLEMS, problems.size()));
  }

  private static ImmutableList<String> problems(CelAbstractSyntaxTree tree) {
    CelType type = tree.getResultType();
    if (!type.equals(SimpleType.BOOL)) {
      return ImmutableList.of("must yield true or false, yields " + CelFaults.typeName(type));
    }
    ImmutableList<String> literals = new CelLiterals(tree).problems();
    return literals.isEmpty() ? tooDear(tree) : literals;
  }

  private static ImmutableList<String> tooDear(CelAbstractSyntaxTree tree) {
    Optional<DeviceAttribute> apart =
        attributes(tree).stream().filter(DeviceAttribute::hasManyValues).findFirst();
    long most = apart.isPresent() ? CelCost.MAX_STEP_DIFFERENCE : CelCost.MAX_STEPS;
    long steps = CelCost.steps(tree);
    return steps <= most
        ? ImmutableList.of()
        : ImmutableList.of(
            "may take %s steps for one device, at most %d are allowed%s"
                .formatted(
                    steps > MAX_SHOWN ? "more than " + MAX_SHOWN : steps,
                    most,
                    apart
                        .map(one -> " with " + one.variable() + ", another for each device")
                        .orElse("")));
  }

  private static ImmutableSet<DeviceAttribute> attributes(CelAbstractSyntaxTree tree) {
    return tree.getReferenceMap().values().stream()
        .map(CelReference::name)
        .map(DeviceAttribute::named)
        .flatMap(Optional::stream)
        .sorted()
        .collect(ImmutableSet.toImmutableSet());
  }

  /**
   * Reads the texts in {@code quantity('40Gi')}, {@code version('8.0')} and {@code matches('A100')}
   * when a condition is compiled, so that an invalid one is reported at once, instead of a
   * condition that never holds.
   */
  static final class CelLiterals {

    private static final ImmutableMap<String, Consumer<String>> READERS =
        ImmutableMap.of(
            "quantity", CelLanguage::quantity,
            "version", CelLanguage::version,
            "matches", RegexCost::compile);

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

    /** Whether it reads a valid text; operators read one that is compared with a version. */
    static boolean isValid(CelExpr call) {
      String function = call.call().function();
      Consumer<String> reader =
          function.matches("_[<>=!]=?_") ? CelLanguage::version : READERS.get(function);
      return reader != null
          && literal(call).filter(text -> refusal(reader, text).isEmpty()).isPresent();
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

    /** The column in the whole text, counted from 1. */
    private int column(CelExpr expr) {
      return tree.getSource().getPositionsMap().getOrDefault(expr.id(), 0) + 1;
    }
  }
}
