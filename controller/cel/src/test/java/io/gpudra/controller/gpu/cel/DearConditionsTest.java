package io.gpudra.controller.gpu.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.gpudra.crds.model.node.Inventory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions that cost too much are refused before they are evaluated; dear ones stay within. */
class DearConditionsTest {

  private static final String TEN = "[0,1,2,3,4,5,6,7,8,9]";
  private static final ConditionCompiler EXPRESSIONS =
      new ConditionCompiler(DeviceSamples.DRIVER, new DeviceSamples.Told());

  private static List<String> problems(String condition) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Faulty.class);
    return ((CompilationResult.Faulty) compilation).problems();
  }

  private static String text(int length) {
    return "'" + "a".repeat(length) + "'";
  }

  private static String list(int length, String element) {
    return "[" + (element + ",").repeat(length - 1) + element + "]";
  }

  @Test
  void aTextThatGrowsTenfoldEightTimesIsRefused() {
    String attack = "'a'" + ".replace('a','aaaaaaaaaa')".repeat(8) + " == 'b'";

    assertThat(problems(attack))
        .singleElement()
        .asString()
        .matches("may take (more than )?\\d{7,} steps for one device, at most 8000 are allowed");
  }

  @Test
  void aPatternOfNestedRepetitionsIsRefused() {
    String attack = "device.name.matches('(((((a?){30}){30}){30}){30}){30}')";

    assertThat(problems(attack))
        .singleElement()
        .asString()
        .matches("20: matches: \".*\": a pattern of \\d{8,} instructions, at most 512 are allowed");
  }

  static Stream<Arguments> dear() {
    return Stream.of(
        arguments("text doubled", "['a']" + ".map(x, x + x)".repeat(25) + "[0] == 'b'"),
        arguments("bytes doubled", "[b'a']" + ".map(x, x + x)".repeat(25) + "[0] == b''"),
        arguments("lists doubled", "[[1]]" + ".map(x, x + x)".repeat(25) + "[0].size() == 1"),
        arguments(
            "loops in loops",
            "%s.all(a, %s.all(b, %s.all(c, %s.all(d, true))))".formatted(TEN, TEN, TEN, TEN)),
        arguments(
            "maps of lists of lists",
            "{1: %s.map(a, %s.map(b, %s.map(c, %s)))} == {}".formatted(TEN, TEN, TEN, TEN)),
        arguments("nothing replaced", text(1500) + ".replace('', " + text(1500) + ") == ''"),
        arguments("joined", text(1500) + ".split('').join(" + text(1500) + ") == ''"),
        arguments(
            "searched at each place",
            text(1000) + ".split('').exists(x, " + text(2000) + ".contains(x + 'b'))"),
        arguments("failures", list(400, "1") + ".exists(x, 1 / 0 == x || 1 / 0 == x)"),
        arguments("patterns made", list(400, "'a'") + ".exists(p, device.brand.matches(p + '.*'))"),
        arguments("patterns", list(100, "'(a?){100}b'") + ".exists(p, device.brand.matches(p))"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dear")
  void whatMayCostTooMuchIsRefusedWithTheLimit(String what, String condition) {
    assertThat(problems(condition))
        .singleElement()
        .asString()
        .matches("may take (more than )?\\d+ steps for one device, at most 8000 are allowed");
  }

  /** Some 300 characters of these would be gigabytes before anything is evaluated. */
  static Stream<Arguments> largeTypes() {
    return Stream.of(
        arguments("doubled", "[1]" + ".map(x, {x: x})".repeat(13) + ".size() == 1"),
        arguments("fourfold", "[1]" + ".map(x, {{x: x}: {x: x}})".repeat(6) + ".size() == 1"),
        arguments("deep", "[1]" + ".map(x, [[[[[x]]]]])".repeat(20) + ".size() == 1"),
        arguments("written", "[".repeat(16) + "1" + "]".repeat(16) + ".size() == 1"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("largeTypes")
  void aTypeThatGrowsWithEachLoopIsRefusedBeforeItIsChecked(String what, String condition) {
    assertThat(problems(condition))
        .containsExactly(
            "nests lists or maps too deeply: the type of a value may consist of 16 names,"
                + " as list(string) does of two");
  }

  @Test
  void aTypeOfSixteenNamesIsChecked() {
    assertThat(EXPRESSIONS.compile("[".repeat(15) + "1" + "]".repeat(15) + ".size() == 1"))
        .isInstanceOf(CompilationResult.Compiled.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.name",
        "device.uuid",
        "device.parentUUID",
        "device.pcieBusID",
        "device.node"
      })
  void whatIsAnotherForEachDeviceMayCostLess(String attribute) {
    String dear = "%s.all(a, %s.exists(b, a == b))".formatted(TEN, TEN);

    assertThat(EXPRESSIONS.compile(dear)).isInstanceOf(CompilationResult.Compiled.class);
    assertThat(problems(dear + " && %s != ''".formatted(attribute)))
        .singleElement()
        .asString()
        .matches(
            "may take \\d+ steps for one device, at most 500 are allowed with %s, another for each"
                    .formatted(attribute)
                + " device");
  }

  @Test
  void anAttributeThatTellsFewDevicesApartMayCostMore() {
    String dear = "%s.all(a, %s.exists(b, a == b))".formatted(TEN, TEN);

    assertThat(EXPRESSIONS.compile(dear + " && device.index != 7"))
        .isInstanceOf(CompilationResult.Compiled.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "google.protobuf.Struct{}",
        "google.protobuf.BoolValue{value: true}",
        "timestamp('2026-01-01T00:00:00Z') > timestamp('2025-01-01T00:00:00Z')",
        "duration('1s') > duration('2s')",
        "type(device.name) == string",
        "strings.quote(device.name) == ''",
        "device.name.reverse() == ''",
        "dyn(1) == 1"
      })
  void whatHasNoUseInAConditionIsNotThere(String condition) {
    assertThat(problems(condition)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.productName.matches('(NVIDIA )?(A100|H100|H200)(-SXM[45])?-[0-9]{2,3}GB')",
        "['A100', 'H100'].exists(name, device.productName.matches(name))",
        "['A100', 'H100'].exists(name, device.productName.contains(name))",
        "device.productName.split(' ').exists(word, word.startsWith('A'))",
        "device.capabilities.exists(one, one in ['nvlink', 'fp8', 'bf16'])",
        "['nvlink', 'fp8'].all(one, one in device.capabilities)",
        "device.capabilities.filter(one, one.startsWith('fp')).size() > 0",
        "device.node.replace('-', '').lowerAscii().substring(0, 3) == 'gpu'",
        "device.uuid in ['GPU-2b1a5a4e-0d8e-4f0a-8a63-2f3a7d9f0c11', 'GPU-1']",
        "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$')",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"
      })
  void whatPeopleWriteIsFarFromTheLimit(String condition) {
    assertThat(EXPRESSIONS.compile(condition)).isInstanceOf(CompilationResult.Compiled.class);
    assertThat(MeasuredCondition.of(condition).bound()).isLessThan(CelCost.MAX_STEPS / 2);
  }

  @Test
  void aPatternThatIsMadeOnADeviceHasTheSameLimit() {
    DeviceSamples.Told alerts = new DeviceSamples.Told();
    ConditionCompiler conditionCompiler = new ConditionCompiler(DeviceSamples.DRIVER, alerts);
    String attack = "'a'.matches('(((((a?){3' + '0}){30}){30}){30}){30}')";
    CompilationResult compilation = conditionCompiler.compile(attack);
    Inventory node = DeviceSamples.node("worker-1", DeviceSamples.A100);
    CelDevice device = new CelDevice(DeviceSamples.DRIVER, node, node.gpus().get(0));

    assertThat(compilation).isInstanceOf(CompilationResult.Compiled.class);
    assertThat(
            conditionCompiler.matches(
                ((CompilationResult.Compiled) compilation).expression(), device))
        .isFalse();
    assertThat(alerts.told).containsExactly("failed " + attack);
  }

  @Test
  void onePatternMayBeMadeOfAnything() {
    assertThat(EXPRESSIONS.compile("device.brand.matches('gpu-' + string(device.index))"))
        .isInstanceOf(CompilationResult.Compiled.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 32, 33, 400, 4090})
  void noNestingOverflowsASmallStack(int depth) {
    List<String> nested =
        List.of(
            "(".repeat(depth) + "true" + ")".repeat(depth),
            "!".repeat(depth) + "true",
            "[".repeat(depth) + "]".repeat(depth) + " == []",
            "1" + "+1".repeat(depth) + " == 1",
            "true" + "?true:true".repeat(depth),
            "true" + "||true".repeat(depth),
            "{}" + ".a".repeat(depth) + " == 1",
            "device.attributes" + ".a".repeat(depth) + " == 1",
            "device.attributes" + "['a']".repeat(depth) + " == 1",
            "has(device.attributes" + ".a".repeat(depth) + ")",
            "[[true]]" + ".map(x, x)".repeat(depth) + " == []",
            "device.name.matches('" + "(".repeat(depth) + ")".repeat(depth) + "')",
            "device.name.matches('" + "a?".repeat(depth) + "')",
            "device.name.matches('" + "[".repeat(depth) + "')",
            "'a'" + ".trim()".repeat(depth) + " == ''");

    for (String condition : nested) {
      String cut = condition.length() <= 4096 ? condition : condition.substring(0, 4096);
      CompletableFuture<CompilationResult> done = new CompletableFuture<>();
      new Thread(null, () -> run(cut, done), "small", 256 << 10).start();
      assertThat(done).succeedsWithin(Duration.ofMinutes(5));
    }
  }

  private static void run(String condition, CompletableFuture<CompilationResult> done) {
    try {
      CompilationResult compilation = EXPRESSIONS.compile(condition);
      if (compilation instanceof CompilationResult.Compiled) {
        MeasuredCondition.of(condition);
      }
      done.complete(compilation);
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }
}
