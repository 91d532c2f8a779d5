package io.gpudra.controller.gpu.cel;

import static dev.cel.common.CelFunctionDecl.newFunctionDeclaration;
import static dev.cel.common.CelOverloadDecl.newGlobalOverload;
import static dev.cel.common.CelOverloadDecl.newMemberOverload;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.Immutable;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction.Overload.Comparison;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.SimpleType;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.Arrays;

/** The language of conditions (api.md 5.3): CEL over flat device attributes, sizes and versions. */
final class CelLanguage {

  private static final int MAX_CHARACTERS = 4096;
  private static final int DEEPEST = 32;

  private static final CelStringExtensions TEXTS =
      CelExtensions.strings(
          CelStringExtensions.Function.CHAR_AT,
          CelStringExtensions.Function.INDEX_OF,
          CelStringExtensions.Function.JOIN,
          CelStringExtensions.Function.LAST_INDEX_OF,
          CelStringExtensions.Function.LOWER_ASCII,
          CelStringExtensions.Function.REPLACE,
          CelStringExtensions.Function.SPLIT,
          CelStringExtensions.Function.SUBSTRING,
          CelStringExtensions.Function.TRIM,
          CelStringExtensions.Function.UPPER_ASCII);

  /** The test of a comparison on the sign of compareTo. */
  @Immutable
  private interface Order {
    boolean test(int sign);
  }

  private static final ImmutableMap<String, Order> COMPARISONS =
      ImmutableMap.of(
          "_<_", sign -> sign < 0,
          "_<=_", sign -> sign <= 0,
          "_>_", sign -> sign > 0,
          "_>=_", sign -> sign >= 0);

  private CelLanguage() {}

  /** Shared by all callers; created with the first condition, since many clusters use none. */
  static Cel cel() {
    return Made.CEL;
  }

  private static final class Made {
    private static final Cel CEL = create();
  }

  private static Cel create() {
    CelBuilder builder =
        CelFactory.standardCelBuilder()
            .setOptions(options())
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .setStandardEnvironmentEnabled(false)
            .setStandardDeclarations(declarations())
            .setStandardFunctions(
                CelStandardFunctions.newBuilder()
                    .excludeFunctions(CelStandardFunctions.StandardFunction.MATCHES)
                    .build())
            .addCompilerLibraries(TEXTS)
            .addRuntimeLibraries(TEXTS);
    Arrays.stream(DeviceAttribute.values())
        .forEach(
            attribute -> builder.addVar(attribute.variable(), AttributeReader.type(attribute)));
    addReaders(builder);
    addMatches(builder);
    addEquality(builder);
    COMPARISONS.forEach((operator, holds) -> addComparison(builder, operator, holds));
    addMethod(builder, "isGreaterThan", sign -> sign > 0);
    addMethod(builder, "isLessThan", sign -> sign < 0);
    addCompareTo(builder);
    return builder.build();
  }

  private static CelOptions options() {
    return CelOptions.current()
        .maxExpressionCodePointSize(MAX_CHARACTERS)
        .comprehensionMaxIterations((int) CelCost.MAX_STEPS)
        .maxParseRecursionDepth(DEEPEST)
        .build();
  }

  /** The standard functions that {@link CelFunctions} knows: no times, no types. */
  private static CelStandardDeclarations declarations() {
    return CelStandardDeclarations.newBuilder()
        .filterFunctions(
            (function, overload) ->
                CelFunctions.names().contains(function.functionName())
                    && function != CelStandardDeclarations.StandardFunction.MATCHES
                    && !(overload instanceof Comparison comparison
                        && comparison.isHeterogeneousComparison()))
        .build();
  }

  /** Replaces the standard function, which compiles any pattern. */
  private static void addMatches(CelBuilder builder) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                "matches",
                newGlobalOverload(
                    "matches_global", SimpleType.BOOL, SimpleType.STRING, SimpleType.STRING),
                newMemberOverload(
                    "matches_member", SimpleType.BOOL, SimpleType.STRING, SimpleType.STRING)))
        .addFunctionBindings(
            CelFunctionBinding.from(
                "matches_global", String.class, String.class, CelLanguage::matches),
            CelFunctionBinding.from(
                "matches_member", String.class, String.class, CelLanguage::matches));
  }

  private static boolean matches(String text, String pattern) {
    return RegexCost.compile(pattern).matcher(text).find();
  }

  static long quantity(String text) {
    return MemorySize.parse(text)
        .orElseThrow(() -> new IllegalArgumentException(MemorySize.HINT))
        .exactBytes();
  }

  static DottedVersion version(String text) {
    return DottedVersion.parse(text)
        .orElseThrow(() -> new IllegalArgumentException("write a version such as 535.104.05"));
  }

  private static void addReaders(CelBuilder builder) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                "quantity",
                newGlobalOverload("quantity_string", SimpleType.INT, SimpleType.STRING)),
            newFunctionDeclaration(
                "version",
                newGlobalOverload("version_string", AttributeReader.VERSION, SimpleType.STRING)))
        .addFunctionBindings(
            CelFunctionBinding.from("quantity_string", String.class, CelLanguage::quantity),
            CelFunctionBinding.from("version_string", String.class, CelLanguage::version));
  }

  /** The standard overload compares two versions with equals. */
  private static void addEquality(CelBuilder builder) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration("_==_", versionAndString("version_equals_string")),
            newFunctionDeclaration("_!=_", versionAndString("version_not_equals_string")))
        .addFunctionBindings(
            CelFunctionBinding.from(
                "version_equals_string",
                DottedVersion.class,
                String.class,
                (left, right) -> left.equals(version(right))),
            CelFunctionBinding.from(
                "version_not_equals_string",
                DottedVersion.class,
                String.class,
                (left, right) -> !left.equals(version(right))));
  }

  private static CelOverloadDecl versionAndString(String id) {
    return newGlobalOverload(id, SimpleType.BOOL, AttributeReader.VERSION, SimpleType.STRING);
  }

  private static void addComparison(CelBuilder builder, String operator, Order holds) {
    String id = "version" + operator;
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                operator,
                versionAndString(id + "string"),
                newGlobalOverload(
                    id + "version",
                    SimpleType.BOOL,
                    AttributeReader.VERSION,
                    AttributeReader.VERSION)))
        .addFunctionBindings(
            CelFunctionBinding.from(
                id + "string",
                DottedVersion.class,
                String.class,
                (left, right) -> holds.test(left.compareTo(version(right)))),
            CelFunctionBinding.from(
                id + "version",
                DottedVersion.class,
                DottedVersion.class,
                (left, right) -> holds.test(left.compareTo(right))));
  }

  /** The spelling of {@code resource.k8s.io/v1}, for versions and sizes. */
  private static void addMethod(CelBuilder builder, String name, Order holds) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                name,
                newMemberOverload(
                    name + "_version",
                    SimpleType.BOOL,
                    AttributeReader.VERSION,
                    AttributeReader.VERSION),
                newMemberOverload(name + "_int", SimpleType.BOOL, SimpleType.INT, SimpleType.INT)))
        .addFunctionBindings(
            CelFunctionBinding.from(
                name + "_version",
                DottedVersion.class,
                DottedVersion.class,
                (left, right) -> holds.test(left.compareTo(right))),
            CelFunctionBinding.from(
                name + "_int",
                Long.class,
                Long.class,
                (left, right) -> holds.test(left.compareTo(right))));
  }

  private static void addCompareTo(CelBuilder builder) {
    builder
        .addFunctionDeclarations(
            newFunctionDeclaration(
                "compareTo",
                newMemberOverload(
                    "compareTo_version",
                    SimpleType.INT,
                    AttributeReader.VERSION,
                    AttributeReader.VERSION),
                newMemberOverload("compareTo_int", SimpleType.INT, SimpleType.INT, SimpleType.INT)))
        .addFunctionBindings(
            CelFunctionBinding.from(
                "compareTo_version",
                DottedVersion.class,
                DottedVersion.class,
                (left, right) -> (long) left.compareTo(right)),
            CelFunctionBinding.from(
                "compareTo_int",
                Long.class,
                Long.class,
                (left, right) -> (long) left.compareTo(right)));
  }
}
