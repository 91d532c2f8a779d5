package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.MemberFacts.Phase;
import io.gpudra.controller.gate.SlowListException;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import io.kubernetes.client.openapi.models.V1ClaimSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodSchedulingGate;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pods without a node over HTTP: one patch for a gate, and what the watch shows of it. */
class KubeGatedPodsTest {
  private static final PodRef POD = new PodRef("ns", "p", "pod-uid");
  private static final ObjectKey UNIT = new ObjectKey("ns", "pod/p");
  private static final String PATH = "/api/v1/namespaces/ns/pods/p";

  private static final String MEMBERS =
      "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'7'},'items':["
          + "{'metadata':{'namespace':'ns','name':'a','uid':'a-uid','ownerReferences':["
          + "{'uid':'other'},{'uid':'job','controller':true}]},"
          + "'spec':{'nodeName':'n1','resourceClaims':["
          + "{'name':'own','source':{'resourceClaimName':'named'}},"
          + "{'name':'gpu','source':{'resourceClaimTemplateName':'gpu'}}]},"
          + "'status':{'phase':'Running','resourceClaimStatuses':["
          + "{'name':'gpu','resourceClaimName':'a-gpu-x'}]}},"
          + "{'metadata':{'namespace':'ns','name':'b','uid':'b-uid',"
          + "'deletionTimestamp':'2026-11-21T08:00:00Z'},"
          + "'spec':{},'status':{'phase':'Pending'}},"
          + "{'metadata':{'namespace':'ns','name':'c','uid':'c-uid'},"
          + "'spec':{'nodeName':'n1'},'status':{'phase':'Failed'}}]}";

  private final AtomicBoolean leads = new AtomicBoolean(true);
  private final Requeuer requeuer = new Requeuer(() -> 0, () -> 0L);
  private final ScriptedServer server = new ScriptedServer(call -> answer(call));
  private final HttpClients http = server.client();
  private Function<ScriptedServer.Call, Reply> script = call -> ScriptedServer.dropped();

  KubeGatedPodsTest() throws IOException {
    requeuer.begin();
  }

  private Reply answer(ScriptedServer.Call call) {
    return script.apply(call);
  }

  private KubeGatedPods pods(Function<ScriptedServer.Call, Reply> answers) {
    script = answers;
    return new KubeGatedPods(
        http, new KubeSettings("gpu.example.com", 30, Clock.systemUTC()), leads::get, requeuer);
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private static GatedPod pod(PodRef ref, boolean gated, int priority) {
    return new GatedPod(
        new PodFacts(
            ref,
            new WaitRank(priority, Instant.EPOCH),
            Optional.empty(),
            false,
            false,
            ImmutableList.of(),
            ImmutableList.of()),
        gated,
        false,
        NodeDemand.NONE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static GatedPod pod(boolean gated) {
    return pod(POD, gated, 0);
  }

  /** As the informer tells it. */
  private static void watched(KubeGatedPods pods, GatedPod pod) {
    Kept<Optional<GatedPod>> kept = kept(pod);
    pods.cache().put(kept);
    pods.changed(kept);
  }

  private static void gone(KubeGatedPods pods, GatedPod pod) {
    pods.cache().remove(kept(pod));
    pods.gone(kept(pod));
  }

  private static Kept<Optional<GatedPod>> kept(GatedPod pod) {
    return new Kept<>(
        pod.ref().namespace() + "/" + pod.ref().name(), pod.ref().uid(), "1", Optional.of(pod));
  }

  @Test
  void aLiftIsOnePatchOfExactlyThisPodAndThisGate() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));

    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    assertThat(server.calls()).hasSize(1);
    ScriptedServer.Call call = server.calls().get(0);
    assertThat(call.method() + " " + call.path()).isEqualTo("PATCH " + PATH);
    assertThat(call.body())
        .isEqualTo(
            "{\"metadata\":{\"uid\":\"pod-uid\"},\"spec\":{\"schedulingGates\":"
                + "[{\"name\":\"gpu.example.com/granted\",\"$patch\":\"delete\"}]}}");
  }

  @ParameterizedTest
  @CsvSource({
    "200, DONE",
    "404, GONE",
    "409, CONFLICT",
    "422, REJECTED",
    "403, REJECTED",
    "429, UNCLEAR",
    "500, UNCLEAR",
    "0, UNCLEAR",
  })
  void theServersAnswerIsAnOutcome(int code, Kind outcome) {
    KubeGatedPods pods =
        pods(call -> code == 0 ? ScriptedServer.dropped() : ScriptedServer.json(code, "{}"));
    watched(pods, pod(true));

    assertThat(pods.lift(pod(true))).isEqualTo(outcome);
    assertThat(pods.ofUnit(UNIT).get(0).gated()).isEqualTo(outcome != Kind.DONE);
  }

  @Test
  void aStandbySendsNothing() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    leads.set(false);

    assertThat(pods.lift(pod(true))).isEqualTo(Kind.UNCLEAR);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void aLiftIsRememberedUntilTheWatchShowsIt() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    watched(pods, pod(true));
    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    watched(pods, pod(true));
    assertThat(pods.ofUnit(UNIT)).extracting(GatedPod::gated).containsExactly(false);

    watched(pods, pod(false));
    assertThat(pods.ofUnit(UNIT)).extracting(GatedPod::gated).containsExactly(false);
    assertThat(pods.liftedCount()).isZero();
  }

  @Test
  void aUnitIsAtTheGateWhileAPodOfItIs() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    watched(pods, pod(false));
    assertThat(pods.isAtGate(UNIT)).isFalse();
    watched(pods, pod(true));
    assertThat(pods.isAtGate(UNIT)).isTrue();

    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    assertThat(pods.isAtGate(UNIT)).isFalse();
  }

  @Test
  void ofAPodThatIsGoneNothingIsRemembered() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    watched(pods, pod(true));
    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    gone(pods, pod(true));
    assertThat(pods.liftedCount()).isZero();

    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    assertThat(pods.liftedCount()).isZero();
    assertThat(pods.cache().size()).isZero();
  }

  @Test
  void anotherPodOfTheNameHasItsGate() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    watched(pods, pod(true));
    assertThat(pods.lift(pod(true))).isEqualTo(Kind.DONE);
    gone(pods, pod(true));
    watched(pods, pod(new PodRef("ns", "p", "new-uid"), true, 0));

    assertThat(pods.ofUnit(UNIT)).extracting(GatedPod::gated).containsExactly(true);
  }

  @Test
  void eachChangeOfAPodWakesItsUnit() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    watched(pods, pod(true));
    assertThat(requeuer.gateKeys().depth()).isOne();
    pods.changed(new Kept<>("ns/other", "u", "1", Optional.empty()));
    assertThat(requeuer.gateKeys().depth()).isOne();
    assertThat(pods.units()).containsExactly(UNIT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | {'metadata':{'uid':'pod-uid'},'spec':{}} | true",
        "200 | {'metadata':{'uid':'pod-uid'},'spec':{'nodeName':'n1'}} | false",
        "200 | {'metadata':{'uid':'other'},'spec':{}} | false",
        "404 | {} | false",
      },
      quoteCharacter = '"')
  void whetherAPodHasANodeIsReadFromTheServer(int code, String pod, boolean awaits)
      throws Exception {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(code, pod.replace('\'', '"')));

    assertThat(pods.awaitsNode(POD)).isEqualTo(awaits);
    assertThat(server.calls()).extracting(ScriptedServer.Call::path).containsExactly(PATH);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | pod-uid | gpu.example.com/granted | true",
        "200 | pod-uid | example.com/other | false",
        "200 | other | gpu.example.com/granted | false",
        "404 | pod-uid | gpu.example.com/granted | false",
      })
  void whetherAPodHasItsGateIsReadFromTheServer(int code, String uid, String gate, boolean gated)
      throws Exception {
    String pod =
        "{'metadata':{'uid':'%s'},'spec':{'schedulingGates':[{'name':'%s'}]}}".formatted(uid, gate);
    KubeGatedPods pods = pods(call -> ScriptedServer.json(code, pod.replace('\'', '"')));

    assertThat(pods.isGated(POD)).isEqualTo(gated);
    assertThat(server.calls()).extracting(ScriptedServer.Call::path).containsExactly(PATH);
  }

  @ParameterizedTest
  @CsvSource({
    "group/g, gpu.example.com/group=g",
    "kueue/g, kueue.x-k8s.io/pod-group-name=g",
  })
  void theMembersOfAGroupAreListedByLabel(String unit, String selector) throws Exception {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, MEMBERS.replace('\'', '"')));

    assertThat(pods.members(new ObjectKey("ns", unit)).orElseThrow())
        .containsExactly(
            new MemberFacts(
                new PodRef("ns", "a", "a-uid"),
                Optional.of("job"),
                true,
                false,
                Phase.ALIVE,
                ImmutableSet.of(new ClaimRef("ns", "named"), new ClaimRef("ns", "a-gpu-x"))),
            new MemberFacts(
                new PodRef("ns", "b", "b-uid"),
                Optional.empty(),
                false,
                true,
                Phase.ALIVE,
                ImmutableSet.of()),
            new MemberFacts(
                new PodRef("ns", "c", "c-uid"),
                Optional.empty(),
                true,
                false,
                Phase.FAILED,
                ImmutableSet.of()));
    assertThat(server.calls()).hasSize(1);
    ScriptedServer.Call call = server.calls().get(0);
    assertThat(call.path()).isEqualTo("/api/v1/namespaces/ns/pods");
    assertThat(call.query())
        .as("the newest members")
        .isEqualTo(
            ImmutableMap.of("labelSelector", selector, "fieldSelector", "status.phase!=Failed"));
  }

  @Test
  void aListOfMembersThatTakesTooLongEnds() throws Exception {
    script = call -> ScriptedServer.json(200, MEMBERS.replace('\'', '"'));
    AtomicLong now = new AtomicLong();
    KubeGatedPods pods =
        new KubeGatedPods(
            http,
            new KubeSettings("gpu.example.com", 30, Clock.systemUTC()),
            leads::get,
            requeuer,
            () -> now.getAndAdd(ControllerDelays.GROUP_LIST.plusNanos(1).toNanos()));

    assertThatThrownBy(() -> pods.members(new ObjectKey("ns", "group/g")))
        .isInstanceOf(SlowListException.class);
  }

  @Test
  void withoutAnAnswerNoMembersAreKnown() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(500, "{}"));

    assertThatThrownBy(() -> pods.members(new ObjectKey("ns", "group/g")))
        .isInstanceOf(ApiUnavailableException.class);
  }

  @Test
  void aPodOfAnySizeIsNotReadIntoMemory() throws Exception {
    String claims = "{\"name\":\"c\"},".repeat(50_000) + "{\"name\":\"c\"}";
    String pod = "{\"metadata\":{\"uid\":\"pod-uid\"},\"spec\":{\"resourceClaims\":[%s]}}";
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, pod.formatted(claims)));

    assertThat(pods.awaitsNode(POD)).isFalse();
  }

  @Test
  void noAnswerIsNoAnswer() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(500, "{}"));

    assertThatThrownBy(() -> pods.awaitsNode(POD)).isInstanceOf(ApiUnavailableException.class);
  }

  /** Those of 200 pods that are kept with their claims. */
  private static ImmutableList<GatedPod> kept(KubeGatedPods pods, String name) {
    return IntStream.range(0, 200)
        .mapToObj(i -> wanting(name + i))
        .flatMap(pod -> pods.kind().keep().apply(pod).stream())
        .filter(pod -> pod.unjudged().isEmpty())
        .collect(ImmutableList.toImmutableList());
  }

  @Test
  void podsWithoutANodeShareABudgetThatThoseThatAreGoneLeave() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    ImmutableList<GatedPod> full = kept(pods, "p");
    assertThat(full).hasSizeBetween(20, 180);
    full.forEach(pod -> gone(pods, pod));

    assertThat(kept(pods, "q")).hasSameSizeAs(full);
  }

  @Test
  void podsOfAListThatEndedEarlyLeaveTheirBudgetToTheNextList() {
    KubeGatedPods pods = pods(call -> ScriptedServer.json(200, "{}"));
    ImmutableList<GatedPod> full = kept(pods, "p");
    full.stream().limit(5).forEach(pod -> watched(pods, pod));
    pods.listed("2");

    assertThat(kept(pods, "q")).hasSize(full.size() - 5);
  }

  /** A pod at the gate with as many entries as are kept. */
  private static V1Pod wanting(String name) {
    V1PodResourceClaim entry =
        new V1PodResourceClaim()
            .name("gpus")
            .source(new V1ClaimSource().resourceClaimName("claim-".repeat(10)));
    return new V1Pod()
        .metadata(new V1ObjectMeta().namespace("ns").name(name).uid(name))
        .spec(
            new V1PodSpec()
                .addSchedulingGatesItem(new V1PodSchedulingGate().name("gpu.example.com/granted"))
                .resourceClaims(Collections.nCopies(512, entry)));
  }

  @Test
  void onlyPendingPodsWithoutANodeAreWatched() {
    assertThat(pods(call -> ScriptedServer.json(200, "{}")).kind().query())
        .isEqualTo(ImmutableMap.of("fieldSelector", "spec.nodeName=,status.phase=Pending"));
  }
}
