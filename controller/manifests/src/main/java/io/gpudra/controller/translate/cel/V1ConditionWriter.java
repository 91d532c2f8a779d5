package io.gpudra.controller.translate.cel;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.gpudra.controller.translate.cel.CelText.isCall;

import com.google.common.base.Utf8;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import dev.cel.common.CelMutableAst;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.gpu.cel.V1SyntaxRewriter;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Writes conditions of this driver as {@code resource.k8s.io/v1} has them. There an attribute
 * without a value is an error, and an error stops the scheduling of the pod. What has no equal
 * there is refused.
 */
public final class V1ConditionWriter {

  /** Kubernetes takes no longer condition. */
  private static final int MAX_BYTES = 10_240;

  private static final String EQUAL = "_==_";
  private static final String MIG = "mig";
  private static final ImmutableSet<String> TYPES = ImmutableSet.of("gpu", MIG);

  private final V1Terms terms;
  private final ConditionCompiler conditionCompiler;
  private final V1SyntaxRewriter v1SyntaxRewriter;

  /** The devices that a condition is about. */
  public enum Devices {
    WHOLE,
    MIG,
    SHARES,
    ALL;

    /** A share is a GPU here, and has a type of its own there. */
    private boolean mayBeShares() {
      return this == SHARES || this == ALL;
    }
  }

  /** What becomes of a condition. */
  public sealed interface Answer {}

  /**
   * The condition there.
   *
   * @param text empty if nothing is left of it
   * @param mayFail whether an error in it may stop the scheduling of a pod
   * @param nodes to which it is restricted, which the pods must say; empty for all
   */
  public record Written(String text, boolean mayFail, ImmutableSet<String> nodes)
      implements Answer {}

  /** There is no such condition there. */
  public record Refused(String why) implements Answer {}

  /**
   * A writer of conditions.
   *
   * @param driver of the conditions
   * @param domain the driver whose devices are selected
   */
  public V1ConditionWriter(String driver, String domain, ConditionCompiler conditionCompiler) {
    this.terms = new V1Terms(driver, domain);
    this.conditionCompiler = conditionCompiler;
    this.v1SyntaxRewriter = new V1SyntaxRewriter(driver);
  }

  /** The smallest memory that NVIDIA's driver publishes for this nominal size, as a quantity. */
  public static String leastReported(long nominalBytes) {
    return V1Terms.leastReported(nominalBytes);
  }

  /** The condition there, about such devices. */
  public Answer write(String condition, Devices devices) {
    CompilationResult compilation = conditionCompiler.compile(condition);
    return compilation instanceof CompilationResult.Compiled compiled
        ? write(compiled.expression(), devices)
        : new Refused(String.join("; ", ((CompilationResult.Faulty) compilation).problems()));
  }

  private Answer write(DeviceExpression condition, Devices devices) {
    CelMutableAst tree = CelText.parse(condition.text()).orElseThrow();
    v1SyntaxRewriter.flatten(tree);
    List<ImmutableSet<String>> nodes = new ArrayList<>();
    List<CelMutableExpr> rest = new ArrayList<>();
    CelText.conjuncts(tree.expr())
        .forEach(one -> nodes(one).ifPresentOrElse(nodes::add, () -> rest.add(one)));
    try {
      rest.forEach(one -> rewrite(one, devices));
    } catch (V1Terms.NoEqual e) {
      return new Refused(e.why());
    }
    return written(condition, CelText.kept(condition.text(), CelText.print(rest)), nodes);
  }

  private static Answer written(
      DeviceExpression condition, String text, List<ImmutableSet<String>> nodes) {
    Optional<ImmutableSet<String>> all =
        nodes.stream().reduce((some, others) -> Sets.intersection(some, others).immutableCopy());
    if (all.filter(ImmutableSet::isEmpty).isPresent()) {
      return new Refused("no node satisfies it");
    }
    return Utf8.encodedLength(text) > MAX_BYTES
        ? new Refused("it has more than %d bytes there".formatted(MAX_BYTES))
        : new Written(text, condition.mayFail(), all.orElse(ImmutableSet.of()));
  }

  /** The nodes to which a part restricts the devices, if it does only that. */
  private static Optional<ImmutableSet<String>> nodes(CelMutableExpr part) {
    return isCall(part, EQUAL)
        ? beside(DeviceAttribute.NODE, part).map(ImmutableSet::of)
        : isCall(part, "@in") && is(part.call().args().get(0), DeviceAttribute.NODE)
            ? texts(part.call().args().get(1))
            : Optional.empty();
  }

  private static boolean is(CelMutableExpr node, DeviceAttribute attribute) {
    return V1Terms.attribute(node).filter(attribute::equals).isPresent();
  }

  private static Optional<ImmutableSet<String>> texts(CelMutableExpr node) {
    return node.getKind() == Kind.LIST
            && node.list().elements().stream().allMatch(one -> CelText.string(one).isPresent())
        ? Optional.of(
            node.list().elements().stream()
                .flatMap(one -> CelText.string(one).stream())
                .collect(toImmutableSet()))
        : Optional.empty();
  }

  /** The text with which an operator compares an attribute. */
  private static Optional<String> beside(DeviceAttribute attribute, CelMutableExpr operation) {
    List<CelMutableExpr> sides = operation.call().args();
    return sides.stream().anyMatch(one -> is(one, attribute))
        ? sides.stream().flatMap(one -> CelText.string(one).stream()).findFirst()
        : Optional.empty();
  }

  private void rewrite(CelMutableExpr node, Devices devices) {
    Optional<String> text =
        Stream.<Function<CelMutableExpr, Optional<String>>>of(
                one -> typeTest(one, devices),
                terms::comparison,
                this::capability,
                V1Terms::alone,
                one -> attribute(one, devices))
            .flatMap(rule -> rule.apply(node).stream())
            .findFirst();
    text.ifPresentOrElse(
        instead -> CelText.graft(node, instead),
        () -> CelText.children(node).forEach(one -> rewrite(one, devices)));
  }

  private Optional<String> typeTest(CelMutableExpr node, Devices devices) {
    boolean equal = isCall(node, EQUAL);
    return devices.mayBeShares() && (equal || isCall(node, "_!=_"))
        ? beside(DeviceAttribute.TYPE, node)
            .filter(TYPES::contains)
            .map(type -> equal == type.equals(MIG) ? "%s == \"%s\"" : "%s != \"%s\"")
            .map(test -> test.formatted(terms.value(DeviceAttribute.TYPE), MIG))
        : Optional.empty();
  }

  private Optional<String> capability(CelMutableExpr node) {
    return isCall(node, "@in") && is(node.call().args().get(1), DeviceAttribute.CAPABILITIES)
        ? CelText.string(node.call().args().get(0)).map(terms::capability)
        : Optional.empty();
  }

  private Optional<String> attribute(CelMutableExpr node, Devices devices) {
    return V1Terms.attribute(node)
        .map(
            one ->
                one == DeviceAttribute.TYPE && devices.mayBeShares()
                    ? "%1$s == \"share\" ? \"gpu\" : %1$s".formatted(terms.value(one))
                    : terms.value(one));
  }
}
