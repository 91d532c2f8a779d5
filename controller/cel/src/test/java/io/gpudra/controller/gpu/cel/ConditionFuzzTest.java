package io.gpudra.controller.gpu.cel;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/** No condition of any shape costs more than is allowed, in steps and in bytes. */
class ConditionFuzzTest {

  private static final int MAX_CHARACTERS = 4096;
  private static final int DEEPEST = 5;
  private static final long MAX_BYTES = 4L << 20;
  private static final long MAX_BYTES_TO_COMPILE = 64L << 20;
  private static int judged;

  private final ConditionCompiler conditionCompiler =
      new ConditionCompiler(DeviceSamples.DRIVER, new DeviceSamples.Told());

  private static Arbitrary<String> nested(int depth, String... shapes) {
    return Arbitraries.of(shapes).flatMap(shape -> filled(depth, shape));
  }

  /** A letter after a dollar stands for any expression of that type. */
  private static Arbitrary<String> filled(int depth, String shape) {
    int at = shape.indexOf('$');
    if (at < 0) {
      return Arbitraries.just(shape);
    }
    String before = shape.substring(0, at);
    String after = shape.substring(at + 2);
    return Combinators.combine(ofType(shape.charAt(at + 1), depth - 1), filled(depth, after))
        .as((inner, rest) -> before + inner + rest);
  }

  private static Arbitrary<String> ofType(char type, int depth) {
    return switch (type) {
      case 'b' -> truth(depth);
      case 's' -> text(depth);
      case 'i' -> number(depth);
      case 'y' -> bytes(depth);
      case 'p' -> pattern();
      default -> list(depth);
    };
  }

  private static Arbitrary<String> truth(int depth) {
    return depth <= 0
        ? Arbitraries.of("true", "device.migEnabled", "device.driverVersion > '535'")
        : nested(
            depth,
            "$s == $s",
            "$i < $i",
            "$l == $l",
            "$s in $l",
            "!($b)",
            "($b || $b)",
            "($b && $b)",
            "($b ? $b : $b)",
            "$l.all(x, $b)",
            "$l.exists(x, $b)",
            "$l.exists_one(x, x == $s)",
            "$l.exists(x, x.matches($p))",
            "$l.exists(x, $i / 0 == 1 || $b)",
            "$s.matches($p)",
            "$s.matches($s)",
            "$s.contains($s)",
            "$s.startsWith($s)",
            "$y == $y",
            "$l.all(x, $l.exists(y, x == y))",
            "$s in {'a': $s, $s: 'b'}",
            "has({'a': 1}.a)",
            "{$s: $i}[$s] == $i",
            "has(device.attributes['gpu.nvidia.com'].brand)",
            "$s in device.attributes",
            "device.attributes[$s].brand == $s",
            "version($s) > version($s)");
  }

  private static Arbitrary<String> text(int depth) {
    Arbitrary<String> plain =
        Arbitraries.oneOf(
            Arbitraries.of("device.brand", "device.productName", "''", "'a'", "'é€😀'", "'0'"),
            Arbitraries.integers().between(1, 300).map(length -> "'" + "a".repeat(length) + "'"));
    return depth <= 0
        ? plain
        : Arbitraries.frequencyOf(
            Tuple.of(1, plain),
            Tuple.of(
                4,
                nested(
                    depth,
                    "($s + $s)",
                    "$s.replace($s, $s)",
                    "$s.replace('a', $s)",
                    "$s.replace('', $s, $i)",
                    "$l.join($s)",
                    "$l[0]",
                    "$s.lowerAscii()",
                    "$s.upperAscii()",
                    "$s.trim()",
                    "$s.substring($i)",
                    "$s.charAt($i)",
                    "string($y)",
                    "string($i)",
                    "($b ? $s : $s)")),
            Tuple.of(
                1,
                repeated(
                    Arbitraries.of("device.brand", "'a'"),
                    ".replace('a', 'aaaa')",
                    " + 'bb'",
                    ".trim()")));
  }

  private static Arbitrary<String> list(int depth) {
    Arbitrary<String> plain =
        Arbitraries.oneOf(
            Arbitraries.of("device.capabilities", "['a', 'b']", "['a'].filter(x, false)"),
            Arbitraries.integers()
                .between(1, 400)
                .map(length -> "[" + "'a',".repeat(length) + "'b']"));
    return depth <= 0
        ? plain
        : Arbitraries.frequencyOf(
            Tuple.of(1, plain),
            Tuple.of(
                4,
                nested(
                    depth,
                    "($l + $l)",
                    "[$s, $s, $s]",
                    "$s.split($s)",
                    "$s.split('')",
                    "$l.map(x, $s)",
                    "$l.map(x, x + $s)",
                    "$l.map(x, $b, x + x)",
                    "$l.filter(x, $b)",
                    "$l.filter(x, x != $s)")),
            Tuple.of(
                1,
                repeated(
                    Arbitraries.of("['a']", "device.capabilities"),
                    ".map(x, x + x)",
                    ".filter(x, true)")));
  }

  private static Arbitrary<String> repeated(Arbitrary<String> start, String... suffixes) {
    return Combinators.combine(
            start, Arbitraries.of(suffixes), Arbitraries.integers().between(1, 25))
        .as((first, suffix, times) -> "(" + first + suffix.repeat(times) + ")");
  }

  private static Arbitrary<String> number(int depth) {
    return depth <= 0
        ? Arbitraries.of("0", "1", "-1", "device.memory", "9223372036854775807")
        : nested(
            depth,
            "($i + $i)",
            "($i * $i)",
            "($i % $i)",
            "-($i)",
            "$s.size()",
            "$l.size()",
            "size($y)",
            "int($s)",
            "$s.indexOf($s)",
            "$s.lastIndexOf($s)",
            "quantity($s)",
            "device.memory.compareTo($i)",
            "device.capacity['memory'].compareTo($i)",
            "device.nvlinkPeers",
            "int(double($i))");
  }

  private static Arbitrary<String> bytes(int depth) {
    return depth <= 0
        ? Arbitraries.of("b'a'", "bytes(device.brand)")
        : nested(depth, "($y + $y)", "bytes($s)", "[$y, $y].map(x, x + x)[0]");
  }

  private static Arbitrary<String> pattern() {
    return Arbitraries.of(
            "a",
            "a?",
            "[a-z]",
            ".*",
            "(a|b)",
            "\\\\pL",
            "\\\\d",
            "(?i)a",
            "a{30}",
            "(a?){20}",
            "(a*)*")
        .list()
        .ofMinSize(1)
        .ofMaxSize(40)
        .map(parts -> "'" + String.join("", parts) + "'");
  }

  @Provide
  Arbitrary<String> conditions() {
    return truth(DEEPEST).filter(one -> one.codePointCount(0, one.length()) <= MAX_CHARACTERS);
  }

  @Property(tries = 1_000, seed = "42", shrinking = ShrinkingMode.BOUNDED)
  void noConditionCostsMoreThanIsAllowed(@ForAll("conditions") String condition) {
    long before = MeasuredCondition.allocated();
    CompilationResult compilation = conditionCompiler.compile(condition);
    assertThat(MeasuredCondition.allocated() - before).isLessThan(MAX_BYTES_TO_COMPILE);

    if (compilation instanceof CompilationResult.Compiled) {
      judged++;
      MeasuredCondition cost = MeasuredCondition.of(condition);
      assertThat(cost.bound()).isLessThanOrEqualTo(CelCost.MAX_STEPS);
      assertThat(cost.steps()).isLessThanOrEqualTo(cost.bound());
      assertThat(cost.bytes()).isLessThanOrEqualTo(MAX_BYTES);
    }
  }

  @AfterContainer
  static void enoughOfThemWereAllowed() {
    assertThat(judged).isGreaterThan(100);
  }
}
