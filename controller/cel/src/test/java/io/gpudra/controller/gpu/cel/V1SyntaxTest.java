package io.gpudra.controller.gpu.cel;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelMutableAst;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelConstant;
import dev.cel.parser.CelParserFactory;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions as {@code resource.k8s.io/v1} spells them. */
class V1SyntaxTest {

  private static final ConditionCompiler EXPRESSIONS =
      new ConditionCompiler(DeviceSamples.DRIVER, new DeviceSamples.Told());
  private static final Inventory NODE = DeviceSamples.node("worker-1", A100);
  private static final CelDevice DEVICE =
      new CelDevice(DeviceSamples.DRIVER, NODE, NODE.gpus().get(0));

  private static DeviceExpression compiled(String condition) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Compiled.class);
    return ((CompilationResult.Compiled) compilation).expression();
  }

  private static List<String> problems(String condition) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Faulty.class);
    return ((CompilationResult.Faulty) compilation).problems();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.capacity['memory'].compareTo(quantity('20Gi')) >= 0",
        "device.attributes['gpu.nvidia.com'].architecture == 'Ampere'",
        "device.attributes['gpu.nvidia.com'].cudaComputeCapability"
            + ".isGreaterThan(version('7.5.0'))",
        "device.attributes['resource.kubernetes.io/pcieRoot'] == 'pci0000:00'",
        "device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:00'",
        "device.attributes['gpu.resource.example.com'].brand == 'Nvidia'",
        "device.attributes[\"gpu.resource.example.com\"]['brand'] == 'Nvidia'",
        "device.attributes['gpu.nvidia.com/brand'] == 'Nvidia'",
        "device.attributes['brand'] == 'Nvidia'",
        "device.attributes['gpu.nvidia.com'].numa == device.numaNode",
        "device.attributes['gpu.nvidia.com'].profile == device.migProfile",
        "device.attributes['gpu.nvidia.com'].migProfile == device.migProfile",
        "device.attributes['gpu.nvidia.com'].name == 'gpu-0'",
        "device.attributes['gpu.nvidia.com'].nvlinkPeers == 0",
        "device.attributes['gpu.nvidia.com'].model == device.attributes['gpu.nvidia.com'].productName",
        "device.attributes['gpu.nvidia.com'].pcieBusID == device.pcieBusID",
        "device.attributes['resource.kubernetes.io'].pciBusID == device.pcieBusID",
        "device.attributes['resource.kubernetes.io/numaNode'] == device.numaNode",
        "device.capacity['gpu.nvidia.com'].nominalMemory == quantity('80Gi')",
        "!has(device.attributes['resource.kubernetes.io'].brand)",
        "device.attributes['gpu.nvidia.com'].driverVersion >= '535.104.05'",
        "device.capacity['gpu.nvidia.com'].memory >= quantity('20Gi')",
        "device.capacity['gpu.resource.example.com'].memory.isGreaterThan(quantity('1Gi'))",
        "has(device.attributes['gpu.nvidia.com'].uuid)",
        "!has(device.attributes['gpu.nvidia.com'].colour)",
        "!has(device.attributes['other.example.com'].uuid)",
        "'uuid' in device.attributes['gpu.nvidia.com']",
        "'gpu.nvidia.com' in device.attributes && 'memory' in device.capacity",
        "!('colour' in device.attributes['gpu.nvidia.com'])",
        "!('other.example.com' in device.attributes)",
        "['Ampere'].exists(one, one == device.attributes['gpu.nvidia.com'].architecture)"
      })
  void holds(String condition) {
    assertThat(EXPRESSIONS.matches(compiled(condition), DEVICE)).isTrue();
  }

  @Test
  void itReadsWhatTheFlatSpellingReadsAndCostsTheSame() {
    assertThat(compiled("device.attributes['gpu.nvidia.com'].architecture == 'x'").reads())
        .isEqualTo(ImmutableSet.of(DeviceAttribute.ARCHITECTURE));
    assertThat(MeasuredCondition.of("device.attributes['gpu.nvidia.com'].brand == 'x'").bound())
        .isEqualTo(MeasuredCondition.of("device.brand == 'x'").bound());
  }

  @Test
  void aConditionOfWhichNoMacroIsExpandedIsMadeFlatToo() throws CelValidationException {
    CelMutableAst tree =
        CelMutableAst.fromCelAst(
            CelParserFactory.standardCelParserBuilder()
                .build()
                .parse("has(device.attributes['gpu.nvidia.com'].uuid)")
                .getAst());
    new V1SyntaxRewriter(DeviceSamples.DRIVER).flatten(tree);

    assertThat(tree.expr().constant()).isEqualTo(CelConstant.ofValue(true));
  }

  @ParameterizedTest
  @CsvSource({"nominalMemory", "capabilities", "node", "driver", "memory", "colour"})
  void whatIsOnlyInTheFlatSpellingIsNotThere(String name) {
    assertThat(problems("device.attributes['gpu.nvidia.com'].%s == 'x'".formatted(name)))
        .singleElement()
        .asString()
        .startsWith("unknown device attribute \"%s\"".formatted(name));
  }

  static Stream<Arguments> mistakes() {
    String howTo =
        "device.attributes and device.capacity are no values themselves; write a driver and a name"
            + " in quotes, such as device.attributes['gpu.nvidia.com'].brand";
    return Stream.of(
        arguments(
            "device.attributes['gpu.nvidia.com'].brnd == 'x'",
            "unknown device attribute \"brnd\", did you mean \"brand\"?"),
        arguments(
            "device.capacity['gpu.nvidia.com'].memry > 1",
            "unknown device capacity \"memry\", did you mean \"memory\"?"),
        arguments(
            "device.attributes['other.example.com'].brand == 'x'",
            "no device attribute of \"other.example.com\"; there are those of:"
                + " gpu.resource.example.com, gpu.nvidia.com, resource.kubernetes.io"),
        arguments(
            "device.attributes['gpu.nvidia.com'].brand > 1",
            "43: no operator > for string and int; compare sizes with quantity('40Gi')"),
        arguments("device.attributes[device.driver].brand == 'x'", howTo),
        arguments("device.attributes.exists(one, one == 'x')", howTo),
        arguments("device.attributes['gpu.nvidia.com'] == device.capacity", howTo));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsToldInTheWordsOfItsAuthor(String condition, String problem) {
    assertThat(problems(condition)).containsExactly(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "device.brand == 'x' && device.memory > 1 ; false",
        "['x'].exists(one, one == device.brand) ; false",
        "device.memory > quantity('1Gi') && device.driverVersion > version('1') ; false",
        "device.brand.matches('x') ; false",
        "'x'.matches(device.model) ; true",
        "device.driverVersion > '535' ; false",
        "device.driverVersion > 'x' ; true",
        "device.brand.charAt(9) == 'x' ; true",
        "device.index / device.minor == 1 || device.migEnabled ; true",
        "device.index + 1 == 1 ; true"
      })
  void itIsKnownWhetherThereMayBeNoAnswer(String condition, boolean mayFail) {
    assertThat(compiled(condition).mayFail()).isEqualTo(mayFail);
  }

  @Test
  void theDriverMayHaveTheNameThatIsKnownAnyway() {
    ConditionCompiler conditionCompiler =
        new ConditionCompiler("gpu.nvidia.com", new DeviceSamples.Told());

    assertThat(conditionCompiler.compile("device.attributes['gpu.nvidia.com'].brand == 'x'"))
        .isInstanceOf(CompilationResult.Compiled.class);
  }
}
