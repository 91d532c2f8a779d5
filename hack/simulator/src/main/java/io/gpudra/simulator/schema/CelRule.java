package io.gpudra.simulator.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
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
import java.util.Map;
import java.util.Optional;

/** One compiled rule over {@code self} and {@code oldSelf}, both dynamically typed. */
record CelRule(CelRuntime.Program program, boolean isTransition) {
  private static final CelOptions OPTIONS =
      CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
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
      Map<String, Object> variables =
          oldSelf.isMissingNode()
              ? ImmutableMap.of("self", value(self))
              : ImmutableMap.of("self", value(self), "oldSelf", value(oldSelf));
      return Boolean.TRUE.equals(program.eval(variables)) ? Optional.empty() : Optional.of("");
    } catch (CelEvaluationException e) {
      return Optional.of("" + e.getMessage());
    }
  }

  private static Object value(JsonNode node) {
    if (node.isObject()) {
      ImmutableMap.Builder<String, Object> map = ImmutableMap.builder();
      node.properties().forEach(field -> map.put(field.getKey(), value(field.getValue())));
      return map.buildOrThrow();
    }
    if (node.isArray()) {
      ImmutableList.Builder<Object> list = ImmutableList.builder();
      node.forEach(item -> list.add(value(item)));
      return list.build();
    }
    if (node.isNumber()) {
      return node.isIntegralNumber() ? (Object) node.asLong() : (Object) node.asDouble();
    }
    return node.isBoolean() ? (Object) node.asBoolean() : node.asText();
  }

  private static Object sum(List<?> numbers) {
    return numbers.stream().mapToLong(number -> ((Number) number).longValue()).sum();
  }
}
