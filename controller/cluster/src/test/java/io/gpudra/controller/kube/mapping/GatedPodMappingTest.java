package io.gpudra.controller.kube.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeDemand.Misfit;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What of a pod decides whether a node suits it, and whether we can tell, row by row. */
class GatedPodMappingTest {
  private static final String GATE = "gpu.example.com/granted";

  private final GatedPodMapping mapping =
      new GatedPodMapping(new PodMapping(30, "gpu.example.com"));

  private static V1Pod json(String json) {
    return LenientJson.gson().fromJson(json.replace('\'', '"'), V1Pod.class);
  }

  private Optional<GatedPod> pod(String spec) {
    return mapping.pod(
        json("{'metadata':{'namespace':'ns','name':'p','uid':'u'},'spec':{%s}}".formatted(spec)));
  }

  private GatedPod gated(String spec) {
    return pod("'schedulingGates':[{'name':'%s'}],%s".formatted(GATE, spec)).orElseThrow();
  }

  /** A node n1 in a zone, with a taint KEY:VALUE:EFFECT unless it is empty. */
  private static NodeState node(String zone, String taint, String cpu) {
    String[] parts = taint.split(":", -1);
    String taints =
        taint.isEmpty()
            ? ""
            : "{'key':'%s','value':'%s','effect':'%s'}".formatted((Object[]) parts);
    String labels = zone.isEmpty() ? "" : "'zone':'%s'".formatted(zone);
    String node =
        "{'metadata':{'name':'n1','labels':{%s}},'spec':{'taints':[%s]},"
            + "'status':{'allocatable':{'cpu':'%sm','pods':'110'}}}";
    return NodeMapping.state(
        LenientJson.gson()
            .fromJson(node.formatted(labels, taints, cpu).replace('\'', '"'), V1Node.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'priority':0 | true",
        "'nodeSelector':{'zone':'a'} | true",
        "'nodeSelector':{'zone':'b'} | false",
        "'nodeSelector':{'zone':'a','disk':'ssd'} | false",
        "'nodeSelector':{} | true",
        "AFFINITY[{'matchExpressions':[{'key':'zone','operator':'In','values':['a','b']}]}] | true",
        "AFFINITY[{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['a']}]}] | false",
        "AFFINITY[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}] |"
            + " true",
        "AFFINITY[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n2']}]}] |"
            + " false",
        "AFFINITY[{'matchExpressions':[{'key':'disk','operator':'Exists'}]},"
            + "{'matchExpressions':[{'key':'zone','operator':'Exists'}]}] | true",
        "AFFINITY[{}] | false",
        "AFFINITY[] | false",
        "'nodeSelector':{'zone':'a'},AFFINITY[{}] | false",
        "'nodeSelector':{'zone':'b'},AFFINITY[{'matchExpressions':[{'key':'zone','operator':'Exists'}]}]"
            + " | false",
        "'nodeSelector':{'zone':'a'},AFFINITY[{'matchExpressions':[{'key':'zone','operator':'Exists'}]}]"
            + " | true",
        "'nodeSelector':{'zone':'b'},AFFINITY[{'matchFields':[{'key':'metadata.name',"
            + "'operator':'In','values':['n1']}]}]"
            + " | false",
      },
      quoteCharacter = '"')
  void selectorAndAffinityHoldTogether(String spec, boolean suits) {
    String affinity =
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
            + "{'nodeSelectorTerms':$1}}}";
    String text = spec.replaceFirst("AFFINITY(.*)$", affinity);

    assertThat(gated(text).demand().misfit(node("a", "", "4000")))
        .isEqualTo(suits ? Optional.empty() : Optional.of(Misfit.NOT_SELECTED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k:v:NoSchedule | | false",
        "k:v:NoSchedule | {'key':'k','operator':'Exists'} | true",
        "k:v:NoSchedule | {'key':'k','value':'v'} | true",
        "k:v:NoSchedule | {'key':'k','operator':'Equal','value':'v'} | true",
        "k:v:NoSchedule | {'key':'k','operator':'Equal','value':'w'} | false",
        "k:v:NoSchedule | {'key':'k'} | false",
        "k::NoSchedule | {'key':'k'} | true",
        "k:v:NoSchedule | {'operator':'Exists'} | true",
        "k:v:NoSchedule | {'key':'l','operator':'Exists'} | false",
        "k:v:NoSchedule | {'key':'k','operator':'Exists','effect':'NoSchedule'} | true",
        "k:v:NoSchedule | {'key':'k','operator':'Exists','effect':'NoExecute'} | false",
        "k:v:NoExecute | {'key':'k','operator':'Exists','tolerationSeconds':300} | true",
        "k:v:NoSchedule | {'key':'k','operator':'Exists','effect':'PreferNoSchedule'} | false",
      },
      quoteCharacter = '"')
  void taintsNeedTolerations(String taint, String toleration, boolean suits) {
    String text = "'tolerations':[%s]".formatted(toleration == null ? "" : toleration);

    assertThat(gated(text).demand().misfit(node("", taint, "4000")))
        .isEqualTo(suits ? Optional.empty() : Optional.of(Misfit.TAINTED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'priority':0 | 0",
        "'containers':[{'resources':{'requests':{'cpu':'1'}}}] | 1000",
        "'containers':[CPU1,CPU2] | 3000",
        "'containers':[{'resources':{'requests':{'cpu':'0.0001'}}}] | 1",
        "'containers':[CPU1],'overhead':{'cpu':'250m'} | 1250",
        "'initContainers':[CPU2],'containers':[CPU1] | 2000",
        "'initContainers':[CPU1,CPU2],'containers':[CPU1] | 2000",
        "'initContainers':[SIDE1],'containers':[CPU1] | 2000",
        "'initContainers':[SIDE1,CPU2],'containers':[CPU1] | 3000",
        "'initContainers':[CPU2,SIDE1],'containers':[CPU1] | 2000",
        "'initContainers':[SIDE1,SIDE2,CPU2],'containers':[CPU1] | 5000",
        "'initContainers':[CPU2],'containers':[CPU1],'overhead':{'cpu':'1'} | 3000",
      },
      quoteCharacter = '"')
  void theSizeIsWhatRunsAtOnceAtMost(String spec, long cpu) {
    String one = "{'resources':{'requests':{'cpu':'$1'}}}";
    String side = "{'restartPolicy':'Always','resources':{'requests':{'cpu':'$1'}}}";
    String text = spec.replaceAll("CPU(\\d)", one).replaceAll("SIDE(\\d)", side);
    NodeDemand demand = gated(text).demand();

    assertThat(demand.size().getOrDefault("cpu", 0L)).isEqualTo(cpu);
    assertThat(demand.size()).containsEntry("pods", 1_000L);
    assertThat(demand.misfit(node("", "", String.valueOf(cpu)))).isEmpty();
    if (cpu > 0) {
      assertThat(demand.misfit(node("", "", String.valueOf(cpu - 1)))).hasValue(Misfit.TOO_SMALL);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'affinity':{'podAffinity':{'REQUIRED':[{'topologyKey':'zone'}]}} | POD_AFFINITY",
        "'affinity':{'podAntiAffinity':{'REQUIRED':[{'topologyKey':'zone'}]}} | POD_AFFINITY",
        "'affinity':{'podAntiAffinity':{'REQUIRED':[]}} |",
        "'topologySpreadConstraints':[{'whenUnsatisfiable':'DoNotSchedule'}] | TOPOLOGY_SPREAD",
        "'topologySpreadConstraints':[{'whenUnsatisfiable':'ScheduleAnyway'}] |",
        "'containers':[{'ports':[{'hostPort':80}]}] | HOST_PORTS",
        "'initContainers':[{'ports':[{'hostPort':80}]}] | HOST_PORTS",
        "'containers':[{'ports':[{'containerPort':80}]}] |",
        "'affinity':{'nodeAffinity':{'REQUIRED':{'nodeSelectorTerms':[{'matchExpressions':"
            + "[{'key':'zone','operator':'Fuzzy'}]}]}}} | UNREADABLE",
      },
      quoteCharacter = '"')
  void whatWeCannotJudgeIsKnown(String spec, LiftReason reason) {
    String required = "requiredDuringSchedulingIgnoredDuringExecution";

    assertThat(gated(spec.replace("REQUIRED", required)).unjudged())
        .isEqualTo(Optional.ofNullable(reason));
  }

  @Test
  void aPodWithoutEndIsLeftToTheScheduler() {
    String tolerations =
        IntStream.range(0, 10_000)
            .mapToObj(i -> "{'key':'k%d','operator':'Exists'}".formatted(i))
            .collect(Collectors.joining(","));
    String claims =
        IntStream.range(0, 5_000)
            .mapToObj(i -> "{'name':'c%d'}".formatted(i))
            .collect(Collectors.joining(","));

    assertThat(gated("'tolerations':[%s]".formatted(tolerations)).unjudged())
        .hasValue(LiftReason.UNREADABLE);
    assertThat(gated("'resourceClaims':[%s]".formatted(claims)))
        .satisfies(pod -> assertThat(pod.unjudged()).hasValue(LiftReason.UNREADABLE))
        .satisfies(pod -> assertThat(pod.facts().claims()).hasSize(512));
  }

  /** Of each kind of entry, a number that no demand has; they are few bytes each. */
  static Stream<String> manyEntries() {
    String label = many(300, "'k%d':'v'");
    String term = "{'matchExpressions':[{'key':'k','operator':'Exists'}]}";
    return Stream.of(
        "'nodeSelector':{%s}".formatted(many(600, "'k%d':'v'")),
        "'nodeSelector':{%s},%s".formatted(label, affinity(term + "," + term)),
        affinity(many(600, "{'matchFields':[]}")),
        affinity(
            "{'matchExpressions':[%s]}".formatted(many(600, "{'key':'','operator':'Exists'}"))),
        affinity("{'matchFields':[%s]}".formatted(many(600, "{'key':'','operator':'Exists'}"))),
        affinity("{'matchFields':[{'operator':'In','values':[%s]}]}".formatted(many(600, "''"))),
        "'tolerations':[%s]".formatted(many(600, "{'operator':'Exists'}")),
        "'containers':[%s]".formatted(many(600, "{}")),
        "'initContainers':[%s]".formatted(many(600, "{}")),
        "'containers':[{'resources':{'requests':{%s}}}]".formatted(many(600, "'r%d':'1'")),
        "'overhead':{%s}".formatted(many(600, "'r%d':'1'")));
  }

  private static String many(int count, String entry) {
    return IntStream.range(0, count).mapToObj(entry::formatted).collect(Collectors.joining(","));
  }

  private static String affinity(String terms) {
    return "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
        + "{'nodeSelectorTerms':[%s]}}}".formatted(terms);
  }

  @ParameterizedTest
  @MethodSource("manyEntries")
  void aDemandOfMoreEntriesThanAnyPodHasIsNotBuilt(String spec) {
    V1Pod pod = json("{'spec':{%s}}".formatted(spec));

    assertThatThrownBy(() -> NodeDemandMapping.of(pod.getSpec()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("more than 512 entries");
    assertThat(gated(spec).unjudged()).hasValue(LiftReason.UNREADABLE);
    assertThat(gated(spec).demand()).isEqualTo(NodeDemand.NONE);
  }

  @Test
  void aDemandOfManyBytesIsNotKept() {
    String selector = "'nodeSelector':{%s}";

    assertThat(gated(selector.formatted(many(100, "'k%d':'v'"))).unjudged()).isEmpty();
    assertThat(gated(selector.formatted(many(100, "'k%d':'" + "v".repeat(500) + "'"))).unjudged())
        .hasValue(LiftReason.UNREADABLE);
  }

  @Test
  void aSelectorThatStandsInEachOfManyTermsTakesNoMemory() {
    String spec =
        "'nodeSelector':{%s},%s"
            .formatted(
                many(20_000, "'k%d':'v'"),
                affinity(many(10_000, "{'matchFields':[{'key':'','operator':'Exists'}]}")));

    assertThat(gated(spec).unjudged()).hasValue(LiftReason.UNREADABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "gpu.example.com/granted, true, false",
    "gpu.example.com/granted a.b/granted, true, false",
    "gpu.example.com/granted kueue.x-k8s.io/admission, true, true",
    "a.b/granted, false, false",
    "mine, false, true",
  })
  void gatesAreOursThoseOfDriversOrOthers(String gates, boolean gated, boolean held) {
    String list =
        words(gates).map(gate -> "{'name':'%s'}".formatted(gate)).collect(Collectors.joining(","));
    GatedPod pod =
        pod("'schedulingGates':[%s],'resourceClaims':[{'name':'c'}]".formatted(list)).orElseThrow();

    assertThat(pod.gated()).isEqualTo(gated);
    assertThat(pod.heldByOthers()).isEqualTo(held);
  }

  private static Stream<String> words(String words) {
    return Stream.of(words.split(" ", -1));
  }

  @Test
  void ofPodsThatConcernNoClaimNothingIsKept() {
    assertThat(pod("'containers':[]")).isEmpty();
    assertThat(pod("'schedulingGates':[{'name':'mine'}]")).isEmpty();
    assertThat(gated("'containers':[]").facts().claims()).isEmpty();
    assertThat(pod("'resourceClaims':[{'name':'c'}]")).isPresent();
  }

  @Test
  void whatTheSchedulerSaysIsKnown() {
    String refused =
        "{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'no room'}";
    String text =
        "{'metadata':{'namespace':'ns','name':'p','uid':'u'},"
            + "'spec':{'resourceClaims':[{'name':'c'}]},"
            + "'status':{'nominatedNodeName':'n1','conditions':[%s]}}";
    GatedPod pod = mapping.pod(json(text.formatted(refused))).orElseThrow();

    assertThat(pod.refusal()).hasValue("no room");
    assertThat(pod.nominated()).hasValue("n1");
  }

  @Test
  void demandsOfOneTemplateAreOneObject() {
    String spec =
        "'nodeSelector':{'zone':'a'},'containers':[{'resources':{'requests':{'cpu':'1'}}}]";

    assertThat(gated(spec).demand()).isSameAs(gated(spec).demand());
  }
}
