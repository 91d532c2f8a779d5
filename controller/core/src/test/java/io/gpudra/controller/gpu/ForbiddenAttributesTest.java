package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A class that lets no condition read which node or device it is about. */
class ForbiddenAttributesTest {

  private static final String NONE = "{'forbiddenAttributes':['node','name','uuid','pcieBusID']%s}";
  private static final String TEXT =
      "%s.cel: Forbidden: class \"gpu.example.com\" lets no condition read %s";

  private final ParametersFixture read = new ParametersFixture();

  private DriverParameters<GpuRequest> read(String ofClass, String condition) {
    return read.read(ofClass, "{'cel':\"%s\"}".formatted(condition));
  }

  private static DriverParameters<GpuRequest> forbidden(String... texts) {
    return DriverParameters.refused(Kind.ATTRIBUTE_FORBIDDEN, ImmutableList.copyOf(texts));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "node | device.node.startsWith('a')",
        "node | .device.node == 'a'",
        "node | size(device.node) > 3",
        "node | device.node in ['a','b']",
        "node | true ? true : device.node == 'a'",
        "node | device.type == 'mig' ? true : device.node < 'm'",
        "node | ['a'].exists(one, one == device.node)",
        "node | [device.node].exists(one, one.startsWith('a'))",
        "node | ['a'].exists(device, device == 'a') && device.node == 'a'",
        "node | ['a'].map(one, device.node).all(one, one < 'm')",
        "node | ['a'].filter(one, device.node < one).size() == 0",
        "node | {'k': device.node}['k'] == 'a'",
        "node | {device.node: 1}['a'] == 1",
        "node | has({device.node: 1}.a)",
        "name | device.name == 'gpu-0'",
        "uuid | device.uuid.startsWith('GPU-0')",
        "uuid | device.attributes['uuid'] < 'GPU-7'",
        "uuid | device.attributes['gpu.nvidia.com'].uuid < 'GPU-7'",
        "uuid | device.attributes['gpu.nvidia.com']['uuid'] < 'GPU-7'",
        "uuid | device.attributes['gpu.nvidia.com/uuid'] < 'GPU-7'",
        "uuid | device.attributes['gpu.resource.example.com'].uuid < 'GPU-7'",
        "uuid | ['GPU-7'].exists(one, device.attributes['gpu.nvidia.com'].uuid < one)",
        "parentUUID | device.parentUUID < 'GPU-7'",
        "parentUUID | device.attributes['gpu.nvidia.com'].parentUUID < 'GPU-7'",
        "pcieBusID | device.pcieBusID == '0000:3b:00.0'",
        "pcieBusID | device.attributes['gpu.nvidia.com'].pcieBusID.contains('3b')",
      })
  void aConditionThatReadsOneIsRefusedHoweverItIsReached(String attribute, String condition) {
    assertThat(read(NONE.formatted(""), condition))
        .isEqualTo(forbidden(TEXT.formatted("spec", "device." + attribute)));
  }

  /** Each of these reads none, whatever comes of it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "has(device.node)",
        "device['node'] == 'a'",
        "device[['no','de'].join()] == 'a'",
        "device.?node == 'a'",
        "device.attributes['no' + 'de'] == 'a'",
        "device.attributes['gpu.nvidia.com'].exists(one, one < 'm')",
        "device.attributes['gpu.nvidia.com'].node == 'a'",
        "device.attributes.node == 'a'",
        "[device].exists(one, one.node == 'a')",
        "['a'].exists(device.node, true)",
        "dyn(device).node == 'a'"
      })
  void noOtherWayIsACondition(String condition) {
    assertThat(ParametersFixture.refusal(read(NONE.formatted(""), condition)))
        .isEqualTo(Kind.INVALID_PARAMETERS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.productName.contains('A100') && device.index == 0 && device.minor == 0",
        "device.pcieRoot == 'pci0000:00' && device.numaNode == 0",
        "has(device.attributes['gpu.nvidia.com'].uuid)",
        "'uuid' in device.attributes['gpu.nvidia.com']",
        "['node'].exists(node, node == 'uuid')",
        "['a'].exists(device, device == 'a')",
        "'device.node' == 'device.uuid'"
      })
  void whatIsTheSameOnLikeNodesMayBeRead(String condition) {
    assertThat(read(NONE.formatted(""), condition)).isInstanceOf(DriverParameters.Ready.class);
  }

  static Stream<String> names() {
    return GpuClassParametersSpec.FORBIDDABLE.stream();
  }

  @ParameterizedTest
  @MethodSource("names")
  void eachIsForbiddenByItself(String name) {
    String ofClass = "{'forbiddenAttributes':['%s']}".formatted(name);

    assertThat(read(ofClass, "device.%s == 'a'".formatted(name)))
        .isEqualTo(forbidden(TEXT.formatted("spec", "device." + name)));
    names()
        .filter(other -> !other.equals(name))
        .forEach(
            other ->
                assertThat(read(ofClass, "device.%s == 'a'".formatted(other)))
                    .isInstanceOf(DriverParameters.Ready.class));
  }

  @Test
  void eachConditionIsToldWithItsPathAndAllThatItReads() {
    assertThat(
            read.read(
                NONE.formatted(""),
                "{'alternatives':[{'cel':\"device.uuid < device.node\"},{},"
                    + "{'cel':\"device.name == 'a'\"}]}"))
        .isEqualTo(
            forbidden(
                TEXT.formatted("spec.alternatives[0]", "device.uuid and device.node"),
                TEXT.formatted("spec.alternatives[2]", "device.name")));
  }

  @Test
  void theClassItselfMayReadThem() {
    String ofNodes = NONE.formatted(",'cel':\"device.node.startsWith('a')\"");

    assertThat(read.read(ofNodes, "{}")).isInstanceOf(DriverParameters.Ready.class);
    assertThat(read(ofNodes, "device.index == 0")).isInstanceOf(DriverParameters.Ready.class);
    assertThat(ParametersFixture.refusal(read(ofNodes, "device.name == 'a'")))
        .isEqualTo(Kind.ATTRIBUTE_FORBIDDEN);
  }

  @Test
  void aClaimOfAMonitorClassIsRefusedToo() {
    read.label("any", "thing");
    String monitor = NONE.formatted(",'monitor':true,'namespaceSelector':{}");

    assertThat(ParametersFixture.refusal(read(monitor, "device.node == 'a'")))
        .isEqualTo(Kind.ATTRIBUTE_FORBIDDEN);
  }

  @Test
  void whatElseIsWrongIsToldWithIt() {
    String ofTeam = NONE.formatted(",'limits':{'devicesPerClaim':4},'mode':'exclusive'");
    String limit = "class \"gpu.example.com\" allows 4 devices per claim, 5 wanted";
    String reads = TEXT.formatted("spec", "device.node");

    assertThat(read.read(ofTeam, "{'count':5,'cel':\"device.node == 'a'\"}"))
        .isEqualTo(forbidden(limit, reads));
    assertThat(read.problems(ofTeam, "{'memoryLimit':'4Gi','cel':\"device.node == 'a'\"}"))
        .containsExactly(
            "spec.memoryLimit: Forbidden: class \"gpu.example.com\" is exclusive", reads);
  }
}
