package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.List;
import java.util.Optional;

/** One compiled rule over {@code self} and {@code oldSelf}, both dynamically typed. */
record CelRule(CelRuntime.Program program, boolean isTransition) {
  private static final CelOptions OPTIONS =
      CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
  private static final JsonMapper LONGS =
      JsonMapper.builder().enable(DeserializationFeature.USE_LONG_FOR_INTS).build();
  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setOptions(OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("self", SimpleType.DYN)
          .addVar("oldSelf", SimpleType.DYN)
          .addLibraries(CelExtensions.strings())
          .addFunctionDeclarations(
              CelFunctionDecl.newFunctionDeclaration(
                  "sum",
                  CelOverloadDecl.newMemberOverload(
                      "list_sum", SimpleType.INT, ListType.create(SimpleType.DYN))))
          .build();
  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.standardCelRuntimeBuilder()
          .setOptions(OPTIONS)
          .addLibraries(CelExtensions.strings())
          .addFunctionBindings(CelFunctionBinding.from("list_sum", List.class, CelRule::sum))
          .build();

  static CelRule compile(String rule) {
    try {
      CelRuntime.Program program = RUNTIME.createProgram(COMPILER.compile(rule).getAst());
      return new CelRule(program, rule.contains("oldSelf"));
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalArgumentException("rule does not compile: " + rule, e);
    }
  }

  /** Empty when the rule holds; otherwise the error of the evaluation, or an empty text. */
  Optional<String> failure(JsonNode self, JsonNode oldSelf) {
    try {
      ImmutableMap.Builder<String, Object> variables = ImmutableMap.builder();
      variables.put("self", value(self));
      if (!oldSelf.isMissingNode()) {
        variables.put("oldSelf", value(oldSelf));
      }
      return Boolean.TRUE.equals(program.eval(variables.buildOrThrow()))
          ? Optional.empty()
          : Optional.of("");
    } catch (CelEvaluationException e) {
      return Optional.of("" + e.getMessage());
    }
  }

  /** As CEL knows values: integers are longs. */
  private static Object value(JsonNode node) {
    return LONGS.convertValue(node, Object.class);
  }

  private static Object sum(List<?> numbers) {
    return numbers.stream().mapToLong(number -> ((Number) number).longValue()).sum();
  }
}
