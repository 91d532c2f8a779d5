package io.gpudra.controller.translate.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.primitives.Longs;
import dev.cel.common.CelMutableAst;
import dev.cel.common.CelMutableSource;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableCall;
import dev.cel.common.ast.CelMutableExpr.CelMutableSelect;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.V1Name;
import io.gpudra.controller.gpu.cel.V1SyntaxRewriter;
import io.gpudra.crds.api.parameters.DeviceRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads selectors of {@code resource.k8s.io/v1}. The parts that are fields here are taken out, the
 * rest is a condition; it keeps its letters if it has the same meaning here.
 */
public final class V1ConditionReader {

  /** The drivers whose attributes have the names of this one's. */
  private static final ImmutableSet<String> DRIVERS =
      ImmutableSet.of(V1Name.NVIDIA, "gpu.example.com", "gpu.resource.example.com");

  /** Operators whose operands need brackets beside {@code &&}. */
  private static final ImmutableSet<String> LOOSER = ImmutableSet.of("_||_", "_?_:_");

  /** The values of attributes that are unknown. */
  private static final ImmutableSet<CelConstant> UNKNOWN =
      ImmutableSet.of(CelConstant.ofValue(""), CelConstant.ofValue(-1), CelConstant.ofValue(false));

  private final String driver;
  private final ConditionCompiler conditionCompiler;
  private final V1SyntaxRewriter v1SyntaxRewriter;

  /** The parts that are fields here, in the flat spelling. */
  public enum Part {
    DRIVER("device\\.driver == \"([^\"]*)\""),
    TYPE("device\\.type == \"(gpu|mig|share)\""),
    PROFILE("device\\.migProfile == \"([^\"]+)\""),
    MEMORY("device\\.nominalMemory\\.compareTo\\(quantity\\(\"([^\"]*)\"\\)\\) >= 0"),
    CAPABILITY("\"([^\"]*)\" in device\\.capabilities"),
    SHARING("device\\.attributes\\[\"[^\"]*\"\\]\\.sharing == \"([^\"]*)\""),
    ENFORCED(
        "device\\.type != \"share\" \\|\\| device\\.attributes\\[\"[^\"]*\"\\]\\.sharing =="
            + " \"(MPS)\"");

    private final Pattern pattern;

    Part(String pattern) {
      this.pattern = Pattern.compile(pattern);
    }

    private Optional<String> value(String flat) {
      Matcher matcher = pattern.matcher(flat);
      return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    /** A second one is another condition; a device has one type, and several capabilities. */
    private boolean repeats() {
      return this == DRIVER || this == CAPABILITY;
    }
  }

  /**
   * What selectors say.
   *
   * @param parts the values of the parts that are fields here
   * @param cel the rest; empty if there is none
   * @param problems of the selectors that cannot be read, which are left out
   */
  public record Selection(
      ImmutableListMultimap<Part, String> parts, String cel, ImmutableList<String> problems) {

    /** The value of a part. */
    public Optional<String> value(Part part) {
      return parts.get(part).stream().findFirst();
    }
  }

  /** A reader for the driver of this name. */
  public V1ConditionReader(String driver, ConditionCompiler conditionCompiler) {
    this.driver = driver;
    this.conditionCompiler = conditionCompiler;
    this.v1SyntaxRewriter = new V1SyntaxRewriter(driver);
  }

  /** Whether the attributes of this domain have the names of this driver's. */
  public boolean isKnown(String domain) {
    return domain.equals(driver) || domain.equals(V1Name.STANDARD) || DRIVERS.contains(domain);
  }

  /** What the selectors say together. */
  public Selection read(List<String> selectors) {
    Reading reading = new Reading();
    selectors.forEach(reading::add);
    return new Selection(
        ImmutableListMultimap.copyOf(reading.parts),
        conjunction(reading.rest),
        ImmutableList.copyOf(reading.problems));
  }

  private static String conjunction(List<String> conditions) {
    return conditions.size() == 1
        ? conditions.get(0)
        : conditions.stream().map(V1ConditionReader::operand).collect(Collectors.joining(" && "));
  }

  private static String operand(String condition) {
    return CelText.parse(condition)
            .filter(tree -> LOOSER.stream().anyMatch(one -> CelText.isCall(tree.expr(), one)))
            .isPresent()
        ? "(" + condition + ")"
        : condition;
  }

  private ImmutableList<String> problems(String condition) {
    return conditionCompiler.compile(condition) instanceof CompilationResult.Faulty faulty
        ? faulty.problems()
        : ImmutableList.of();
  }

  /** Several selectors on their way. */
  private final class Reading {
    private final ListMultimap<Part, String> parts =
        MultimapBuilder.enumKeys(Part.class).arrayListValues().build();
    private final List<String> rest = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    void add(String selector) {
      List<CelMutableExpr> conjuncts =
          CelText.parse(selector).stream().flatMap(tree -> CelText.conjuncts(tree.expr())).toList();
      List<CelMutableExpr> left = conjuncts.stream().filter(one -> !take(flat(one))).toList();
      if (left.size() == conjuncts.size() && problems(selector).isEmpty()) {
        rest.add(selector);
      } else if (conjuncts.isEmpty()) {
        problems.addAll(problems(selector));
      } else {
        left.forEach(this::keep);
      }
    }

    private boolean take(String flat) {
      return flat.equals("true")
          || Stream.of(Part.values())
              .anyMatch(part -> part.value(flat).filter(value -> take(part, value)).isPresent());
    }

    private boolean take(Part part, String value) {
      List<String> known = parts.get(part);
      return known.contains(value) || ((known.isEmpty() || part.repeats()) && known.add(value));
    }

    private void keep(CelMutableExpr conjunct) {
      String flat = flat(conjunct);
      String written = CelText.print(List.of(conjunct));
      if (problems(written).isEmpty()) {
        rest.add(written);
      } else if (problems(flat).isEmpty()) {
        rest.add(flat);
      } else {
        problems.addAll(problems(flat));
      }
    }
  }

  /** A part in the flat spelling of this driver. */
  private String flat(CelMutableExpr conjunct) {
    CelMutableExpr copy = CelMutableExpr.newInstance(conjunct);
    CelText.nodes(copy).forEach(this::rename);
    CelText.nodes(copy).forEach(V1ConditionReader::respell);
    v1SyntaxRewriter.flatten(CelMutableAst.of(copy, CelMutableSource.newInstance()));
    CelText.nodes(copy).forEach(this::capability);
    return CelText.print(List.of(copy));
  }

  private void rename(CelMutableExpr node) {
    CelText.string(node)
        .flatMap(this::renamed)
        .ifPresent(text -> node.setConstant(CelConstant.ofValue(text)));
  }

  private Optional<String> renamed(String text) {
    return DRIVERS.stream()
        .filter(one -> text.equals(one) || text.startsWith(one + "/"))
        .map(one -> driver + text.substring(one.length()))
        .findFirst();
  }

  private static void respell(CelMutableExpr node) {
    if (CelText.isCall(node, "semver")) {
      node.call().setFunction("version");
    } else if (CelText.isCall(node, "orValue")) {
      withoutDefault(node.call()).ifPresent(node::setSelect);
    } else {
      CelText.argument(node, "quantity")
          .map(Longs::tryParse)
          .ifPresent(bytes -> node.setConstant(CelConstant.ofValue(bytes)));
    }
  }

  /** Here an attribute that is unknown has such a value by itself. */
  private static Optional<CelMutableSelect> withoutDefault(CelMutableCall orValue) {
    return orValue
        .target()
        .filter(one -> CelText.isCall(one, "_?._") && isUnknown(orValue.args()))
        .map(one -> one.call().args())
        .map(of -> CelMutableSelect.create(of.get(0), CelText.string(of.get(1)).orElseThrow()));
  }

  private static boolean isUnknown(List<CelMutableExpr> value) {
    return value.size() == 1
        && value.get(0).getKind() == Kind.CONSTANT
        && UNKNOWN.contains(value.get(0).constant());
  }

  private void capability(CelMutableExpr node) {
    if (node.getKind() == Kind.SELECT
        && DeviceRequest.CAPABILITIES.contains(node.select().field())
        && isOwn(node.select().operand())) {
      CelText.graft(node, "\"%s\" in device.capabilities".formatted(node.select().field()));
    }
  }

  private boolean isOwn(CelMutableExpr map) {
    return CelText.print(List.of(CelMutableExpr.newInstance(map)))
        .equals("device.attributes[%s]".formatted(CelText.quoted(driver)));
  }
}
