package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.HALF;
import static io.gpudra.controller.gpu.cel.DeviceSamples.T4;
import static io.gpudra.controller.gpu.cel.DeviceSamples.gpu;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceConstraints.Connection;
import io.gpudra.controller.allocation.request.DeviceConstraints.Linked;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.Taints;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What parameters wish for, once every field has its effect. */
class RequestBuilderTest {

  private static final long GIBI = 1L << 30;
  private static final Inventory NODE = DeviceSamples.node("worker-1", A100_MIG, T4);

  private final ParametersFixture read = new ParametersFixture();

  static Stream<Arguments> shapes() {
    String shared = "{'mode':'shared'}";
    String mig = "{'deviceSelector':[{'type':'mig','name':'*'}]}";
    String any = "{'deviceSelector':[{'type':'mig','name':'*'},{'type':'gpu','name':'*'}]}";
    DeviceKind half = new DeviceKind.Mig(Optional.of("3g.40gb"));
    return Stream.of(
        arguments("{}", "{}", new DeviceKind.Whole()),
        arguments("{}", "{'mode':'exclusive'}", new DeviceKind.Whole()),
        arguments("{}", "{'all':true}", new DeviceKind.Whole()),
        arguments("{}", "{'migProfile':'3g.40gb'}", half),
        arguments("{'mode':'exclusive'}", "{'migProfile':'3g.40gb'}", half),
        arguments(mig, "{'migProfile':'3g.40gb'}", half),
        arguments(mig, "{'count':2}", new DeviceKind.Mig(Optional.empty())),
        arguments(any, "{}", new DeviceKind.Whole()),
        arguments("{}", "{'memoryLimit':'4Gi'}", new DeviceKind.Share(4 * GIBI, 0, 100)),
        arguments(
            "{}",
            "{'mode':'shared','memoryLimit':'4G'}",
            new DeviceKind.Share(4_000_000_000L, 0, 100)),
        arguments(
            shared,
            "{'memoryLimit':'1.5Gi','millicores':250}",
            new DeviceKind.Share(3 * GIBI / 2, 250, 100)),
        arguments(
            "{'mode':'shared','memoryOvercommitPercent':150}",
            "{'memoryLimit':'4Gi'}",
            new DeviceKind.Share(4 * GIBI, 0, 150)));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void classAndClaimSayWhatOfAGpuIsWanted(String ofClass, String ofClaim, DeviceKind kind) {
    assertThat(read.wish(ofClass, ofClaim).kind()).isEqualTo(kind);
  }

  @Test
  void allAndCountAreKept() {
    assertThat(read.wish("{}", "{'all':true}").all()).isTrue();
    assertThat(read.wish("{}", "{'count':3}").all()).isFalse();
    assertThat(read.wish("{}", "{'count':3}").count()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | {'memoryPerGpu':'40Gi'} | memory >= 40Gi | 1",
        "{} | {'memory':'40Gi','capabilities':['nvlink','tensorCores']} | memory >= 40Gi and nvlink"
            + " and tensorCores | 1",
        "{} | {'capabilities':['fp8']} | fp8 | 0",
        "{} | {'mode':'shared','memoryLimit':'1Gi','memory':'16Gi'} | memory >= 16Gi | 3",
        "{'deviceSelector':[{'type':'mig','name':'Tesla*'},{'type':'gpu','name':'*A100*'}]} | {} |"
            + " product *A100* | 1",
        "{'deviceSelector':[{'type':'*','name':'Tesla*'}],'cel':'device.index < 4'} |"
            + " {'cel':'true'} | product Tesla* and device.index < 4 and true | 2"
      })
  void whatEachGpuMustHave(String ofClass, String ofClaim, String text, long matching) {
    DeviceSubRequest subRequest = read.wish(ofClass, ofClaim);

    assertThat(subRequest.devicePredicate().text()).isEqualTo(text);
    assertThat(subRequest.devicePredicate().matching(NODE)).isEqualTo(matching);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | {'migProfile':'3g.40gb','memory':'40Gi','capabilities':['tensorCores']} | migProfile"
            + " 3g.40gb and memory >= 40Gi and tensorCores | true",
        "{} | {'migProfile':'3g.40gb','memory':'80Gi'} | migProfile 3g.40gb and memory >= 80Gi |"
            + " false",
        "{'deviceSelector':[{'type':'mig','name':'*A100*'},{'type':'gpu','name':'T4'}]} |"
            + " {'migProfile':'3g.40gb'} | migProfile 3g.40gb and product *A100* | true",
        "{'deviceSelector':[{'type':'mig','name':'*'}]} | {'cel':\"device.migProfile =="
            + " '3g.40gb'\"} | product * and device.migProfile == '3g.40gb' | true",
        "{'deviceSelector':[{'type':'mig','name':'*'}]} | {'cel':\"device.migProfile == '1g.5gb'\"}"
            + " | product * and device.migProfile == '1g.5gb' | false"
      })
  void whatEachMigDeviceMustHave(String ofClass, String ofClaim, String text, boolean matches) {
    DeviceSubRequest subRequest = read.wish(ofClass, ofClaim);

    assertThat(subRequest.devicePredicate().text()).isEqualTo(text);
    assertThat(subRequest.devicePredicate().matches(NODE, 0, slice(HALF, 4), ""))
        .isEqualTo(matches);
  }

  @Test
  void allRequestsAreServedUnderTheirNames() {
    RequestAlternative both =
        read.only(
            "{}",
            "{'requests':[{'name':'big','memory':'80Gi'},{'name':'small','count':2,"
                + "'migProfile':'1g.10gb'}]}");

    assertThat(both.subRequests()).hasSize(2);
    assertThat(both.subRequests().get(0).name()).hasValue("big");
    assertThat(both.subRequests().get(0).kind()).isEqualTo(new DeviceKind.Whole());
    assertThat(both.subRequests().get(1).name()).hasValue("small");
    assertThat(both.subRequests().get(1).count()).isEqualTo(2);
    assertThat(both.subRequests().get(1).kind())
        .isEqualTo(new DeviceKind.Mig(Optional.of("1g.10gb")));
  }

  @Test
  void alternativesKeepTheirOrderAndTheTopologyIsOfEach() {
    ImmutableList<RequestAlternative> alternatives =
        read.ready(
                "{}", "{'alternatives':[{'count':1},{'count':2},{'all':true}],'topology':'numa'}")
            .alternatives();

    assertThat(alternatives)
        .extracting(one -> one.subRequests().get(0).count())
        .containsExactly(1, 2, 1);
    assertThat(alternatives)
        .allSatisfy(one -> assertThat(one.subRequests().get(0).name()).isEmpty());
    DeviceConstraints numa =
        new DeviceConstraints(Optional.of(new Linked(Connection.NUMA, true)), ImmutableSet.of());
    assertThat(alternatives)
        .extracting(RequestAlternative::deviceConstraints)
        .containsExactly(DeviceConstraints.ANYHOW, numa, numa);
  }

  static Stream<Arguments> together() {
    return Stream.of(
        arguments("", DeviceConstraints.ANYHOW),
        arguments(",'topology':'nvlink'", linked(Connection.NVLINK, true)),
        arguments(
            ",'topology':'nvlink','topologyPolicy':'Required'", linked(Connection.NVLINK, true)),
        arguments(
            ",'topology':'pcie','topologyPolicy':'Preferred'", linked(Connection.PCIE, false)),
        arguments(
            ",'sameAttribute':['resource.kubernetes.io/pcieRoot','memory']",
            new DeviceConstraints(
                Optional.empty(),
                ImmutableSet.of(MatchAttribute.MEMORY, MatchAttribute.PCIE_ROOT))));
  }

  static Stream<Arguments> topologies() {
    String near = "{'topology':'numa','topologyPolicy':'Preferred'}";
    return Stream.of(
        arguments("{'topology':'nvlink'}", "{'count':2}", linked(Connection.NVLINK, true)),
        arguments("{'topology':'nvlink'}", "{'count':1}", DeviceConstraints.ANYHOW),
        arguments(near, "{'all':true}", linked(Connection.NUMA, false)),
        arguments(near, "{'count':2,'topology':'numa'}", linked(Connection.NUMA, true)),
        arguments(near, "{'count':2,'topology':'nvlink'}", linked(Connection.NVLINK, true)));
  }

  @ParameterizedTest
  @MethodSource("topologies")
  void whereTheClaimSaysNothingTheClassSaysHowDevicesAreConnected(
      String ofClass, String ofClaim, DeviceConstraints deviceConstraints) {
    assertThat(read.only(ofClass, ofClaim).deviceConstraints()).isEqualTo(deviceConstraints);
  }

  private static DeviceConstraints linked(Connection connection, boolean required) {
    return new DeviceConstraints(Optional.of(new Linked(connection, required)), ImmutableSet.of());
  }

  @ParameterizedTest
  @MethodSource("together")
  void severalDevicesHaveInCommonWhatTheClaimSays(
      String fields, DeviceConstraints deviceConstraints) {
    assertThat(read.only("{}", "{'count':2%s}".formatted(fields)).deviceConstraints())
        .isEqualTo(deviceConstraints);
  }

  @ParameterizedTest
  @CsvSource({
    "productName",
    "architecture",
    "brand",
    "cudaComputeCapability",
    "memory",
    "migProfile",
    "numaNode",
    "parentUUID",
    "pcieRoot"
  })
  void everyAttributeCanBeTheSame(String attribute) {
    DeviceConstraints deviceConstraints =
        read.only("{}", "{'count':2,'sameAttribute':['%s']}".formatted(attribute))
            .deviceConstraints();

    assertThat(deviceConstraints.same())
        .extracting(MatchAttribute::attribute)
        .containsExactly(attribute);
  }

  @Test
  void tolerationsMeanWhatTheyMeanForPods() {
    GpuRequest request =
        read.ready(
            "{}",
            "{'tolerations':[{'operator':'Exists'},{'key':'a'},{'key':'a','value':'b',"
                + "'effect':'NoSchedule'},{'key':'a','operator':'Exists','effect':'NoExecute',"
                + "'tolerationSeconds':60}]}");

    assertThat(request.tolerations())
        .containsExactly(
            new DeviceToleration("", Optional.empty(), Optional.empty(), Optional.empty()),
            new DeviceToleration("a", Optional.of(""), Optional.empty(), Optional.empty()),
            new DeviceToleration(
                "a", Optional.of("b"), Optional.of(Effect.NO_SCHEDULE), Optional.empty()),
            new DeviceToleration(
                "a",
                Optional.empty(),
                Optional.of(Effect.NO_EXECUTE),
                Optional.of(Duration.ofMinutes(1))));
  }

  @Test
  void theRestIsHandedOn() {
    GpuRequest inside = read.ready("{}", "{'migProfile':'1g.10gb','insideClaim':'gpu'}");
    GpuRequest plain = read.ready("{}", "{}");

    assertThat(inside.insideEntry()).hasValue("gpu");
    assertThat(plain.insideEntry()).isEmpty();
  }

  @Test
  void whatIsMoreThanTheClassGivesIsItsLimitUnlessSomethingElseIsWrong() {
    String ofTeam = "{'limits':{'devicesPerClaim':4}}";
    String limit = "class \"gpu.example.com\" allows 4 devices per claim, 5 wanted";

    assertThat(read.read(ofTeam, "{'count':5}"))
        .isEqualTo(DriverParameters.refused(Kind.CLASS_LIMIT, ImmutableList.of(limit)));
    assertThat(read.problems(ofTeam, "{'count':5,'cel':'device.nope'}"))
        .hasSize(2)
        .startsWith(limit);
    assertThat(read.read(ofTeam, "{'count':4}")).isInstanceOf(DriverParameters.Ready.class);
  }

  @Test
  void aClassServesTheNamespacesThatItNames() {
    String ofGold = "{'namespaceSelector':{'matchLabels':{'tier':'gold'}},'cel':'true'}";
    String unlabelled =
        "{'namespaceSelector':{'matchExpressions':[{'key':'tier','operator':'DoesNotExist'}]}}";
    DriverParameters<GpuRequest> no =
        DriverParameters.refused(
            Kind.NAMESPACE_NOT_ALLOWED,
            ImmutableList.of("class \"gpu.example.com\" is not for namespace \"team-a\""));

    assertThat(read.read(ofGold, "{}")).as("of an unknown one").isEqualTo(no);
    assertThat(read.read(unlabelled, "{}")).as("of an unknown one").isEqualTo(no);
    read.label("tier", "tin");
    assertThat(read.read(ofGold, "{'count':0}")).isEqualTo(no);
    assertThat(read.read(unlabelled, "{}")).isEqualTo(no);
    read.label("tier", "gold");
    assertThat(read.read(ofGold, "{}")).isInstanceOf(DriverParameters.Ready.class);
    read.label("other", "gold");
    assertThat(read.read(ofGold, "{}")).isEqualTo(no);
    assertThat(read.read(unlabelled, "{}")).isInstanceOf(DriverParameters.Ready.class);
    assertThat(read.read("{'namespaceSelector':{}}", "{}"))
        .isInstanceOf(DriverParameters.Ready.class);
  }

  @Test
  void aMonitorWantsTheSightOfGpusHoweverTheyAreUsedAndWhateverIsWrongWithThem() {
    read.label("any", "thing");
    String monitor = "{'monitor':true,'namespaceSelector':{}%s}";
    String all =
        monitor.formatted(
            ",'deviceSelector':[{'type':'mig','name':'Tesla*'},{'type':'gpu','name':'*A100*'}]");
    DeviceSubRequest subRequest = read.wish(all, "{}");
    Inventory cut =
        DeviceSamples.inventory(
            "n",
            ImmutableList.of(
                gpu(0, A100_MIG, MigMode.ENABLED),
                gpu(1, A100, MigMode.DISABLED),
                gpu(2, T4, MigMode.UNSUPPORTED)));

    assertThat(subRequest.kind()).isEqualTo(new DeviceKind.MonitorAccess());
    assertThat(subRequest.devicePredicate().matching(cut)).isEqualTo(0b111);
    assertThat(
            read.wish(monitor.formatted(""), "{'cel':'device.index > 1'}")
                .devicePredicate()
                .matching(cut))
        .isEqualTo(0b100);
    assertThat(read.ready(all, "{}").tolerations())
        .anyMatch(
            toleration ->
                toleration.tolerates(Taints.taint("any", "thing", Effect.NO_EXECUTE, "")));
  }

  @Test
  void allConditionsOfAClaimMayHaveTheLengthOfOne() {
    String half = "true" + " && true".repeat(256);
    String two = "{'requests':[{'name':'a','cel':'%s'},{'name':'b','cel':'%s'}]}";

    assertThat(read.ready("{}", two.formatted(half, half)).alternatives()).hasSize(1);
    assertThat(read.problems("{}", two.formatted(half, "!" + half)))
        .containsExactly(
            "spec: the conditions of all entries have 4105 characters together, at most 4096 are"
                + " allowed");
  }

  @Test
  void whatIsWrongAnywhereIsToldAtOnce() {
    assertThat(
            read.problems(
                "{'limits':{'devicesPerClaim':2}}",
                "{'requests':[{'name':'a','cel':'device.memry > 1'},"
                    + "{'name':'b','count':2,'cel':'device.memory'}]}"))
        .containsExactly(
            "class \"gpu.example.com\" allows 2 devices per claim, 3 wanted",
            "spec.requests[0].cel: unknown device attribute \"memry\", did you mean \"memory\"?",
            "spec.requests[1].cel: must yield true or false, yields int");
  }

  @Test
  void aClaimInsideAnotherNeedsAPod() {
    assertThat(read.problemsAtOnce("{'migProfile':'1g.5gb','insideClaim':'gpu'}"))
        .containsExactly(
            "spec.insideClaim: needs allocationMode WaitForFirstConsumer; an Immediate claim has no"
                + " pod");
    assertThat(read.problemsAtOnce("{'migProfile':'1g.5gb'}")).isEmpty();
  }
}
