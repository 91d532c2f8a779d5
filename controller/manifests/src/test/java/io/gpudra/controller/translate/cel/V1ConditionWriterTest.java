package io.gpudra.controller.translate.cel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.V1Name;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Devices;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Refused;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Written;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions of this driver, and what is written for them. */
class V1ConditionWriterTest {
  private static final String DRIVER = "d";
  private static final ImmutableSet<String> NOWHERE = ImmutableSet.of();

  /** No device is asked. */
  record NoDevice() implements ConditionAlerts {
    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }

  private static V1ConditionWriter writerFor(String domain) {
    return new V1ConditionWriter(DRIVER, domain, new ConditionCompiler(DRIVER, new NoDevice()));
  }

  private static Written written(String condition, Devices devices) {
    return (Written) writerFor(DRIVER).write(condition, devices);
  }

  private static String refusal(V1ConditionWriter writer, String condition) {
    return ((Refused) writer.write(condition, Devices.WHOLE)).why();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.brand == 'Tesla'          => device.attributes["d"].brand == "Tesla"
          device.index > 1                 => device.attributes["d"].index > 1
          device.migCapable                => device.attributes["d"].migCapable
          device.model == 'x'              => device.attributes["d"].productName == "x"
          device.uuid == 'x'               => device.attributes["d"].?uuid.orValue("") == "x"
          device.parentUUID == 'x'         => device.attributes["d"].?parentUUID.orValue("") == "x"
          device.migProfile == '1g.5gb'    => device.attributes["d"].?profile.orValue("") == "1g.5gb"
          device.pcieDeviceID == '20b2'    => device.attributes["d"].?pcieDeviceID.orValue("") == "20b2"
          device.pcieBusID == 'x'          => device.attributes["resource.kubernetes.io"].?pciBusID.orValue("") == "x"
          device.pcieRoot == 'x'           => device.attributes["resource.kubernetes.io"].?pcieRoot.orValue("") == "x"
          device.numaNode == -1            => device.attributes["resource.kubernetes.io"].?numaNode.orValue(-1) == -1
          device.driver == 'd'             => device.driver == 'd'
          'nvlink' in device.capabilities  => device.attributes["d"].nvlink
          'wings' in device.capabilities   => false
          has(device.attributes['d'].uuid) => true
          'wings' in device.attributes     => false
          device.memory >= quantity('40Gi')              => device.capacity["d"].memory.compareTo(quantity("40Gi")) >= 0
          device.memory >= quantity('0.3Mi')             => device.capacity["d"].memory.compareTo(quantity("314572")) >= 0
          device.memory >= quantity('1.5Gi')             => device.capacity["d"].memory.compareTo(quantity("1.5Gi")) >= 0
          40000000000 < device.memory                    => quantity("40000000000").compareTo(device.capacity["d"].memory) < 0
          device.memory == device.nominalMemory          => device.capacity["d"].memory.compareTo(device.capacity["d"].nominalMemory) == 0
          device.memory.isGreaterThan(5)                 => device.capacity["d"].memory.isGreaterThan(quantity("5"))
          device.index < quantity('1Mi')                 => device.attributes["d"].index < 1048576
          device.driverVersion >= version('535.104.05')  => device.attributes["d"].driverVersion.compareTo(semver("535.104.5")) >= 0
          device.driverVersion >= '535'                  => device.attributes["d"].driverVersion.compareTo(semver("535.0.0")) >= 0
          device.driverVersion < '8.0.1.0-rc1'           => device.attributes["d"].driverVersion.compareTo(semver("8.0.1")) < 0
          device.driverVersion.isLessThan(version('9'))  => device.attributes["d"].driverVersion.isLessThan(semver("9.0.0"))
          device.driverVersion != device.cudaDriverVersion => device.attributes["d"].driverVersion.compareTo(device.attributes["d"].cudaDriverVersion) != 0
          ['a', 'b'].exists(one, one == device.brand)    => ["a", "b"].exists(one, one == device.attributes["d"].brand)
          device.attributes['gpu.nvidia.com'].brand == 'x' => device.attributes["d"].brand == "x"
          device.brand == 'it\\'s'                       => device.attributes["d"].brand == "it's"
          device.brand == 'a"\\\\\\n\\t\\r\\a'           => device.attributes["d"].brand == "a\\"\\\\\\n\\t\\r\\u0007"
          device.brand.matches(r'^x\\d$')                => device.attributes["d"].brand.matches("^x\\\\d$")
          !(device.migEnabled || device.migCapable)      => !(device.attributes["d"].migEnabled || device.attributes["d"].migCapable)
          """)
  void isWritten(String ours, String theirs) {
    assertThat(written(ours, Devices.WHOLE)).isEqualTo(new Written(theirs, false, NOWHERE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.type == 'gpu' => device.attributes["d"].type != "mig"
          device.type != 'gpu' => device.attributes["d"].type == "mig"
          'mig' == device.type => device.attributes["d"].type == "mig"
          device.type != 'mig' => device.attributes["d"].type != "mig"
          device.type == 'x'   => ((device.attributes["d"].type == "share") ? "gpu" : device.attributes["d"].type) == "x"
          """)
  void aShareIsAGpu(String ours, String theirs) {
    assertThat(written(ours, Devices.SHARES).text()).isEqualTo(theirs);
    assertThat(written(ours, Devices.ALL).text()).isEqualTo(theirs);
  }

  @ParameterizedTest
  @EnumSource(names = {"WHOLE", "MIG"})
  void whereNoSharesAreMeantATypeIsThatOfTheDevice(Devices devices) {
    assertThat(written("device.type == 'gpu'", devices).text())
        .isEqualTo("device.attributes[\"d\"].type == \"gpu\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.node == 'a'                                    => ``     => a
          device.node in ['a', 'b'] && device.index == 1        => device.attributes["d"].index == 1 => a b
          device.node in ['a', 'b'] && ('b' == device.node)     => ``     => b
          """)
  void theNodeIsForThePodsToSay(String ours, String theirs, String nodes) {
    Written written = written(ours, Devices.WHOLE);

    assertThat(written.text()).isEqualTo(theirs);
    assertThat(String.join(" ", written.nodes())).isEqualTo(nodes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.brand.charAt(9) == 'x'",
        "device.brand.substring(2) == 'x'",
        "device.index / device.minor == 1",
        "device.index % device.minor == 1",
        "['a'][device.index] == 'a'",
        "int(device.brand) == 1"
      })
  void aConditionThatMayFailIsToldApart(String condition) {
    assertThat(written(condition, Devices.WHOLE).mayFail()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.memory / 2 > 5                          => a size can only be compared there, with another one or a constant
          device.memory in [1, 2]                        => a size can only be compared there, with another one or a constant
          device.memory > device.index                   => a size can only be compared there, with another one or a constant
          device.driverVersion in [version('1')]         => a version can only be compared there, with another one or a constant
          ['1'].exists(v, device.driverVersion > version(v)) => a version can only be compared there, with another one or a constant
          device.driverVersion > '1.2.3.4'               => a version has three numbers there, and 1.2.3.4 has four
          device.index.compareTo(1) > 0                  => compareTo compares only sizes and versions there
          size(device.capabilities) > 1                  => capabilities are attributes of their own there; write 'x' in device.capabilities
          device.capabilities.exists(one, one == 'mig')  => capabilities are attributes of their own there; write 'x' in device.capabilities
          device.node == 'a' || device.migEnabled        => the node is no attribute there; compare device.node with == or in, and join that to the rest with &&
          device.node == 'a' && device.node == 'b'       => no node satisfies it
          device.brnd == 'a'                             => `unknown device attribute "brnd", did you mean "brand"?`
          """)
  void isRefused(String condition, String why) {
    assertThat(refusal(writerFor(DRIVER), condition)).isEqualTo(why);
  }

  @Test
  void aConditionThatGrowsBeyondWhatIsTakenIsRefused() {
    String condition = "device.pcieRoot == 'x' || ".repeat(150) + "device.migEnabled";

    assertThat(refusal(writerFor(DRIVER), condition))
        .isEqualTo("it has more than 10240 bytes there");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.productName == 'x'                => device.attributes["gpu.nvidia.com"].productName == "x"
          device.driver == 'd'                     => "d" == "d"
          device.memory > 5                        => device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("5")) > 0
          device.nominalMemory >= quantity('80Gi') => device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("74473Mi")) >= 0
          device.nominalMemory < quantity('80Gi')  => device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("74473Mi")) < 0
          device.nominalMemory > quantity('40Gi')  => device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40961Mi")) >= 0
          device.nominalMemory <= quantity('40Gi') => device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40961Mi")) < 0
          """)
  void nvidiaHasNamesOfItsOwn(String ours, String theirs) {
    assertThat(writerFor(V1Name.NVIDIA).write(ours, Devices.WHOLE))
        .isEqualTo(new Written(theirs, false, NOWHERE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          device.name == 'x'                       => name
          device.index == 1                        => index
          device.minor == 1                        => minor
          device.migEnabled                        => migEnabled
          device.migCapable                        => migCapable
          device.nvlinkPeers > 0                   => nvlinkPeers
          device.pcieDeviceID == 'x'               => pcieDeviceID
          'ecc' in device.capabilities             => capabilities
          device.nominalMemory == quantity('80Gi') => nominalMemory
          """)
  void whatNvidiaDoesNotPublishIsRefused(String condition, String name) {
    assertThat(refusal(writerFor(V1Name.NVIDIA), condition))
        .isEqualTo("devices of gpu.nvidia.com have no " + name);
  }
}
