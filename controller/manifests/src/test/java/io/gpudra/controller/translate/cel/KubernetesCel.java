package io.gpudra.controller.translate.cel;

import static dev.cel.common.CelFunctionDecl.newFunctionDeclaration;
import static dev.cel.common.CelOverloadDecl.newGlobalOverload;
import static dev.cel.common.CelOverloadDecl.newMemberOverload;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Table;
import com.google.common.collect.Tables;
import com.google.errorprone.annotations.Immutable;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import io.gpudra.controller.gpu.cel.V1DeviceValues;
import io.gpudra.crds.model.MemorySize;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A selector of {@code resource.k8s.io/v1} as kube-scheduler judges it, so far as the translation
 * uses its language.
 */
final class KubernetesCel {
  private static final OpaqueType QUANTITY = OpaqueType.create("kubernetes.Quantity");
  private static final OpaqueType SEMVER = OpaqueType.create("kubernetes.Semver");
  private static final Pattern VERSION =
      Pattern.compile("(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)");
  private static final Comparator<V1DeviceValues.Semantic> VERSIONS =
      Comparator.comparingLong(V1DeviceValues.Semantic::major)
          .thenComparingLong(V1DeviceValues.Semantic::minor)
          .thenComparingLong(V1DeviceValues.Semantic::patch);
  private static final Cel CEL = create();

  /** The test of a comparison on the sign of compareTo. */
  @Immutable
  private interface Order {
    boolean test(int sign);
  }

  private final CelRuntime.Program program;

  private KubernetesCel(CelRuntime.Program program) {
    this.program = program;
  }

  private static Cel create() {
    CelBuilder builder =
        CelFactory.standardCelBuilder()
            .setOptions(CelOptions.current().enableOptionalSyntax(true).build())
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addCompilerLibraries(CelExtensions.strings(), CelExtensions.optional())
            .addRuntimeLibraries(CelExtensions.strings(), CelExtensions.optional())
            .addVar("device.driver", SimpleType.STRING)
            .addVar(
                "device.attributes", byDomain(MapType.create(SimpleType.STRING, SimpleType.DYN)))
            .addVar("device.capacity", byDomain(MapType.create(SimpleType.STRING, QUANTITY)))
            .addFunctionDeclarations(
                newFunctionDeclaration(
                    "quantity", newGlobalOverload("quantity", QUANTITY, SimpleType.STRING)),
                newFunctionDeclaration(
                    "semver", newGlobalOverload("semver", SEMVER, SimpleType.STRING)),
                newFunctionDeclaration(
                    "compareTo",
                    newMemberOverload("compare_quantity", SimpleType.INT, QUANTITY, QUANTITY),
                    newMemberOverload("compare_semver", SimpleType.INT, SEMVER, SEMVER)))
            .addFunctionBindings(
                CelFunctionBinding.from("quantity", String.class, KubernetesCel::quantity),
                CelFunctionBinding.from("semver", String.class, KubernetesCel::semver),
                CelFunctionBinding.from(
                    "compare_quantity",
                    BigDecimal.class,
                    BigDecimal.class,
                    (left, right) -> (long) left.compareTo(right)),
                CelFunctionBinding.from(
                    "compare_semver",
                    V1DeviceValues.Semantic.class,
                    V1DeviceValues.Semantic.class,
                    (left, right) -> (long) VERSIONS.compare(left, right)));
    addMethod(builder, "isGreaterThan", sign -> sign > 0);
    addMethod(builder, "isLessThan", sign -> sign < 0);
    return builder.build();
  }

  private static MapType byDomain(MapType map) {
    return MapType.create(SimpleType.STRING, map);
  }

  private static void addMethod(CelBuilder builder, String name, Order holds) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                name,
                newMemberOverload(name + "_quantity", SimpleType.BOOL, QUANTITY, QUANTITY),
                newMemberOverload(name + "_semver", SimpleType.BOOL, SEMVER, SEMVER)))
        .addFunctionBindings(
            CelFunctionBinding.from(
                name + "_quantity",
                BigDecimal.class,
                BigDecimal.class,
                (left, right) -> holds.test(left.compareTo(right))),
            CelFunctionBinding.from(
                name + "_semver",
                V1DeviceValues.Semantic.class,
                V1DeviceValues.Semantic.class,
                (left, right) -> holds.test(VERSIONS.compare(left, right))));
  }

  private static BigDecimal quantity(String text) {
    return MemorySize.parse(text)
        .map(size -> new BigDecimal(size.exactBytes()))
        .orElseGet(() -> new BigDecimal(text));
  }

  private static V1DeviceValues.Semantic semver(String text) {
    Matcher version = VERSION.matcher(text);
    if (!version.matches()) {
      throw new IllegalArgumentException("no semantic version: " + text);
    }
    return new V1DeviceValues.Semantic(
        Long.parseLong(version.group(1)),
        Long.parseLong(version.group(2)),
        Long.parseLong(version.group(3)));
  }

  static KubernetesCel compile(String selector) {
    try {
      return new KubernetesCel(CEL.createProgram(CEL.compile(selector).getAst()));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new AssertionError(selector, e);
    }
  }

  /** Empty for an error, which stops the scheduling of the pod. */
  Optional<Boolean> matches(V1DeviceValues device) {
    try {
      return Optional.of(
          (Boolean)
              program.eval(
                  ImmutableMap.of(
                      "device.driver", device.driver(),
                      "device.attributes", new Domains(device.attributes()),
                      "device.capacity", new Domains(quantities(device)))));
    } catch (CelEvaluationException e) {
      return Optional.empty();
    }
  }

  private static Table<String, String, Object> quantities(V1DeviceValues device) {
    return Tables.transformValues(device.capacity(), bytes -> BigDecimal.valueOf((Long) bytes));
  }

  /** An unknown domain is empty; an unknown name in it is an error. */
  private static final class Domains extends HashMap<String, Map<String, Object>> {
    private static final long serialVersionUID = 1;

    Domains(Table<String, String, Object> values) {
      super(values.rowMap());
    }

    @Override
    public boolean containsKey(Object domain) {
      return true;
    }

    @Override
    public Map<String, Object> get(Object domain) {
      return getOrDefault(domain, Map.of());
    }
  }
}
