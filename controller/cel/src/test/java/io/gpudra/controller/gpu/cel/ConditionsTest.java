package io.gpudra.controller.gpu.cel;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions on the first GPU of a node of A100s: what matches and what is told. */
class ConditionsTest {

  private static final DeviceSamples.Told ALERTS = new DeviceSamples.Told();
  private static final ConditionCompiler EXPRESSIONS =
      new ConditionCompiler(DeviceSamples.DRIVER, ALERTS);
  private static final Inventory NODE = DeviceSamples.node("worker-1", A100, A100);
  private static final CelDevice DEVICE =
      new CelDevice(DeviceSamples.DRIVER, NODE, NODE.gpus().get(0));

  private static boolean matches(String condition) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Compiled.class);
    return EXPRESSIONS.matches(((CompilationResult.Compiled) compilation).expression(), DEVICE);
  }

  private static List<String> problems(String condition) {
    CompilationResult compilation = EXPRESSIONS.compile(condition);
    assertThat(compilation).isInstanceOf(CompilationResult.Faulty.class);
    return ((CompilationResult.Faulty) compilation).problems();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.memory >= quantity('40Gi')",
        "device.memory / quantity('1Gi') > 78",
        "device.nominalMemory == quantity('80Gi')",
        "device.architecture in ['Ampere', 'Hopper', 'Blackwell']",
        "device.productName == 'NVIDIA A100-SXM4-80GB'",
        "device.model == device.productName",
        "device.productName.matches('A100|H100')",
        "device.brand == 'Nvidia'",
        "device.cudaComputeCapability >= version('8.0')",
        "device.cudaComputeCapability >= '8.0'",
        "device.cudaComputeCapability < '10.0'",
        "device.cudaComputeCapability == '8'",
        "device.cudaComputeCapability == version('8.0.0')",
        "device.cudaComputeCapability != '8.1'",
        "device.cudaComputeCapability != version('8.1')",
        "device.cudaComputeCapability <= version('8.0')",
        "device.cudaComputeCapability.isGreaterThan(version('7.5.0'))",
        "device.cudaComputeCapability.isLessThan(version('8.6'))",
        "device.cudaComputeCapability.compareTo(version('8.0')) == 0",
        "device.driverVersion > version('535.86.05') && device.driverVersion <= '535.104.05'",
        "device.cudaDriverVersion == '12.2'",
        "device.memory.compareTo(quantity('20Gi')) >= 0",
        "device.memory.isGreaterThan(quantity('20Gi'))",
        "device.memory.isLessThan(quantity('1Ti'))",
        "device.uuid != 'GPU-xxxxx'",
        "device.pcieRoot == 'pci0000:00'",
        "device.pcieBusID == '0000:00:00.0'",
        "device.pcieDeviceID == '20b2'",
        "device.numaNode == 0",
        "'nvlink' in device.capabilities",
        "device.capabilities.exists(c, c.startsWith('tensor'))",
        "device.index in [0, 2, 4, 6]",
        "device.minor == 0 && device.name == 'gpu-0'",
        "!device.migEnabled && device.type == 'gpu'",
        "device.migCapable",
        "device.node == 'worker-1' && device.driver == 'gpu.resource.example.com'",
        "quantity('1.5Gi') == 1610612736 && quantity('1G') == 1000000000",
        "device.brand.lowerAscii() == 'nvidia'"
      })
  void holds(String condition) {
    assertThat(matches(condition)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.memory >= quantity('80Gi')",
        "device.cudaComputeCapability > '8.0'",
        "device.cudaComputeCapability >= '10.0'",
        "device.cudaComputeCapability == version('8.1')",
        "device.cudaComputeCapability == '8.1'",
        "device.driverVersion < '535.104.05'",
        "device.architecture == 'Hopper'",
        "'fp8' in device.capabilities",
        "device.index in [1, 3]",
        "false"
      })
  void doesNotHold(String condition) {
    assertThat(matches(condition)).isFalse();
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        arguments(
            "device.memry > 1", "unknown device attribute \"memry\", did you mean \"memory\"?"),
        arguments(
            "device.computeCapability >= '8.0'",
            "unknown device attribute \"computeCapability\","
                + " did you mean \"cudaComputeCapability\"?"),
        arguments(
            "device.memory >= '40Gi'",
            "15: no operator >= for int and string; compare sizes with quantity('40Gi')"),
        arguments(
            "device.cudaComputeCapability > 8",
            "30: no operator > for version and int;"
                + " compare versions with version('8.0'), the device's on the left"),
        arguments("device.name == true", "13: no operator == for string and bool"),
        arguments("!device.memory", "1: no operator ! for int"),
        arguments("-device.name == 'x'", "1: no operator - for string"),
        arguments(
            "1 in device.name",
            "3: no operator in for int and string" + "; compare sizes with quantity('40Gi')"),
        arguments("device.name.matches(true)", "20: no function matches for string and bool"),
        arguments("device.memory", "must yield true or false, yields int"),
        arguments("dyn(device.memory)", "4: unknown name \"dyn\""),
        arguments(
            "device == 1", "1: device is no value itself; write device. and one of its attributes"),
        arguments("devic.memory > 1", "1: unknown name \"devic\", did you mean \"device\"?"),
        arguments("vendor == 'x'", "1: unknown name \"vendor\""),
        arguments("device.memory.size > 1", "14: type 'int' does not support field selection"),
        arguments(
            "device.memory > quantity('40')",
            "25: quantity: \"40\": write a size with a unit, such as 16Gi or 512Mi"),
        arguments(
            "device.driverVersion > version('new')",
            "31: version: \"new\": write a version such as 535.104.05"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsToldInTheWordsOfItsAuthor(String condition, String problem) {
    assertThat(problems(condition)).containsExactly(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"colour", "attribute"})
  void anAttributeThatIsNotThereIsAnsweredWithThoseThatAre(String name) {
    assertThat(problems("device." + name + " == 'x'"))
        .containsExactly(
            "unknown device attribute \""
                + name
                + "\"; there are: "
                + String.join(", ", DeviceAttribute.shortNames()));
  }

  @Test
  void severalMistakesAreToldAtOnce() {
    assertThat(problems("device.memry > 1 || device.nme == 'x' || device.index == 'y'"))
        .contains(
            "unknown device attribute \"memry\", did you mean \"memory\"?",
            "unknown device attribute \"nme\", did you mean \"name\"?")
        .hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"device.memory >=", "", "((((", "'", "\u0000", "device.memory > 1 ü"})
  void whatIsNoExpressionIsRefusedWithASentence(String condition) {
    assertThat(problems(condition)).isNotEmpty().allMatch(one -> !one.isBlank());
  }

  @Test
  void conditionsBeyondTheLimitsAreRefused() {
    assertThat(problems("true || " + "true || ".repeat(600) + "true")).isNotEmpty();
    assertThat(problems("(".repeat(40) + "true" + ")".repeat(40))).isNotEmpty();
  }

  @Test
  void aConditionThatFailsOnADeviceDoesNotMatchAndIsReported() {
    assertThat(matches("1 / (device.index - device.minor) == 1")).isFalse();
    assertThat(matches("quantity(device.name) > 1")).isFalse();

    assertThat(ALERTS.told).contains("failed quantity(device.name) > 1");
  }

  @ParameterizedTest
  @EnumSource(DeviceAttribute.class)
  void everyAttributeHasAValueOfItsTypeEvenWhenNothingIsKnown(DeviceAttribute attribute) {
    String same = attribute.variable() + " == " + attribute.variable();

    assertThat(matches(same)).isTrue();
  }

  @Test
  void devicesThatAgreeInWhatIsReadAreJudgedOnce() {
    DeviceSamples.Told alerts = new DeviceSamples.Told();
    ConditionCompiler conditionCompiler = new ConditionCompiler(DeviceSamples.DRIVER, alerts);
    CompilationResult compilation =
        conditionCompiler.compile("device.memory / (device.numaNode - device.numaNode) > 1");
    DeviceExpression failing = ((CompilationResult.Compiled) compilation).expression();
    NODE.gpus()
        .forEach(
            gpu ->
                conditionCompiler.matches(failing, new CelDevice(DeviceSamples.DRIVER, NODE, gpu)));
    assertThat(alerts.told).hasSize(1);

    Gpu other = DeviceSamples.gpu(4, A100, Gpu.MigMode.DISABLED);
    conditionCompiler.matches(failing, new CelDevice(DeviceSamples.DRIVER, NODE, other));
    assertThat(alerts.told).hasSize(2);
  }
}
