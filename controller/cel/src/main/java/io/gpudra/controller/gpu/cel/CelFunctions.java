package io.gpudra.controller.gpu.cel;

import static com.google.common.math.LongMath.saturatedAdd;
import static com.google.common.math.LongMath.saturatedMultiply;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.errorprone.annotations.Immutable;
import java.util.List;

/**
 * The bounds of the results and the work of functions in conditions. A function without bounds here
 * is not part of the language.
 */
final class CelFunctions {

  /** Characters that are compared at the cost of one part. */
  private static final long COMPARED = 64;

  /** Instructions of a pattern that are tried at one character, at the cost of one part. */
  private static final long TRIED = 2;

  /** The cost of one instruction when a pattern is compiled. */
  private static final long COMPILED = 20;

  private static final long OBJECT = 5;
  private static final long MAX_NUMBER = 32;
  private static final long MAX_CHARACTER = 4;

  /**
   * One call.
   *
   * @param parts of steps, beside those of the operands
   */
  record Work(long parts, SizeBound result) {}

  @Immutable
  private interface Rule {
    Work of(List<SizeBound> operands);
  }

  private static final Rule SCALAR = operands -> new Work(0, SizeBound.SCALAR);
  private static final Rule READ = operands -> new Work(operands.get(0).length(), SizeBound.SCALAR);
  private static final Rule COPY =
      operands -> new Work(operands.get(0).length(), SizeBound.text(operands.get(0).length()));
  private static final Rule COMPARE = operands -> new Work(compared(operands), SizeBound.SCALAR);
  private static final Rule FIND = operands -> new Work(search(operands), SizeBound.SCALAR);
  private static final Rule EITHER = operands -> new Work(0, operands.get(1).or(operands.get(2)));

  private static final ImmutableMap<String, Rule> RULES =
      ImmutableMap.<String, Rule>builder()
          .put("_&&_", SCALAR)
          .put("_||_", SCALAR)
          .put("!_", SCALAR)
          .put("@not_strictly_false", SCALAR)
          .put("_?_:_", EITHER)
          .put("_==_", COMPARE)
          .put("_!=_", COMPARE)
          .put("_<_", COMPARE)
          .put("_<=_", COMPARE)
          .put("_>_", COMPARE)
          .put("_>=_", COMPARE)
          .put("compareTo", SCALAR)
          .put("isGreaterThan", SCALAR)
          .put("isLessThan", SCALAR)
          .put("@in", CelFunctions::in)
          .put("_[_]", operands -> new Work(0, operands.get(0).elementOrScalar()))
          .put("_+_", CelFunctions::add)
          .put("_-_", SCALAR)
          .put("_*_", SCALAR)
          .put("_/_", SCALAR)
          .put("_%_", SCALAR)
          .put("-_", SCALAR)
          .put("size", READ)
          .put("int", READ)
          .put("uint", READ)
          .put("double", READ)
          .put("bool", READ)
          .put("quantity", READ)
          .put("version", READ)
          .put("string", CelFunctions::string)
          .put("bytes", CelFunctions::bytes)
          .put("contains", FIND)
          .put("startsWith", COMPARE)
          .put("endsWith", COMPARE)
          .put("indexOf", FIND)
          .put("lastIndexOf", FIND)
          .put("matches", CelFunctions::matches)
          .put("charAt", COPY)
          .put("substring", COPY)
          .put("trim", COPY)
          .put("lowerAscii", COPY)
          .put("upperAscii", COPY)
          .put("replace", CelFunctions::replace)
          .put("split", CelFunctions::split)
          .put("join", CelFunctions::join)
          .buildOrThrow();

  private static final ImmutableSet<String> NEVER_FAIL =
      ImmutableSet.of(
          "_&&_",
          "_||_",
          "!_",
          "@not_strictly_false",
          "_?_:_",
          "_==_",
          "_!=_",
          "_<_",
          "_<=_",
          "_>_",
          "_>=_",
          "@in",
          "compareTo",
          "isGreaterThan",
          "isLessThan",
          "size",
          "contains",
          "startsWith",
          "endsWith",
          "trim",
          "lowerAscii",
          "upperAscii",
          "join");

  private static final ImmutableSet<String> NEVER_FAILING_ADDITIONS =
      ImmutableSet.of("add_string", "add_bytes", "add_list");

  private CelFunctions() {}

  static ImmutableSet<String> names() {
    return RULES.keySet();
  }

  static Work work(String function, ImmutableList<SizeBound> operands) {
    Rule rule = RULES.get(function);
    return rule == null ? new Work(Long.MAX_VALUE, SizeBound.SCALAR) : rule.of(operands);
  }

  /** A text compared with a version may be invalid; additions only overflow with numbers. */
  static boolean mayFail(String function, List<String> overloads) {
    return overloads.stream().anyMatch(id -> id.startsWith("version_") && id.endsWith("string"))
        || (!NEVER_FAIL.contains(function) && !NEVER_FAILING_ADDITIONS.containsAll(overloads));
  }

  /** Of a text and something else, such as a version, the whole text is read. */
  private static long compared(List<SizeBound> operands) {
    long left = operands.get(0).weight();
    long right = operands.get(1).weight();
    return left == 0 || right == 0 ? Math.max(left, right) : Math.min(left, right);
  }

  private static Work in(List<SizeBound> operands) {
    return new Work(operands.get(1).weight(), SizeBound.SCALAR);
  }

  private static Work add(List<SizeBound> operands) {
    SizeBound result = operands.get(0).then(operands.get(1));
    return new Work(result.weight(), result);
  }

  private static Work string(List<SizeBound> operands) {
    long length = operands.get(0).length();
    return new Work(length, SizeBound.text(Math.max(MAX_NUMBER, length)));
  }

  private static Work bytes(List<SizeBound> operands) {
    long length = saturatedMultiply(operands.get(0).length(), MAX_CHARACTER);
    return new Work(length, SizeBound.text(length));
  }

  /** A naive search: each place is tried. */
  private static long search(List<SizeBound> operands) {
    long text = operands.get(0).length();
    long sought = operands.get(1).length();
    return saturatedAdd(saturatedAdd(text, sought), saturatedMultiply(text, sought) / COMPARED);
  }

  /** RE2 compiles the pattern at each call and follows all its alternatives at once. */
  private static Work matches(List<SizeBound> operands) {
    SizeBound pattern = operands.get(1);
    long program = Math.min(pattern.program(), RegexCost.MAX);
    long written = Math.min(pattern.length(), RegexCost.MAX);
    long compiling = (OBJECT + program) * COMPILED + written * written / COMPARED * OBJECT;
    long matching = saturatedMultiply(operands.get(0).length(), program) / TRIED;
    return new Work(saturatedAdd(compiling, matching), SizeBound.SCALAR);
  }

  private static Work replace(List<SizeBound> operands) {
    long places = saturatedAdd(operands.get(0).length(), 1);
    long length = saturatedAdd(places, saturatedMultiply(places, operands.get(2).length()));
    long parts = saturatedAdd(saturatedMultiply(places, OBJECT), saturatedAdd(length, length));
    return new Work(saturatedAdd(parts, search(operands)), SizeBound.text(length));
  }

  private static Work split(List<SizeBound> operands) {
    long text = operands.get(0).length();
    long places = saturatedAdd(text, 1);
    SizeBound parts = new SizeBound(places, saturatedAdd(places, text), 0, SizeBound.text(text));
    return new Work(saturatedAdd(saturatedMultiply(places, OBJECT), search(operands)), parts);
  }

  private static Work join(List<SizeBound> operands) {
    SizeBound list = operands.get(0);
    long separators =
        operands.size() == 1 ? 0 : saturatedMultiply(list.length(), operands.get(1).length());
    long length = saturatedAdd(list.weight(), separators);
    return new Work(length, SizeBound.text(length));
  }
}
