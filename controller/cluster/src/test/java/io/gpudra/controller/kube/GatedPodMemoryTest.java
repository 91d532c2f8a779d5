package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.controller.kube.mapping.GatedPodMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Yaml;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tenants may make any number of pods that no node takes, each with much to remember. */
class GatedPodMemoryTest {
  private static final long BUDGET = 1 << 20;
  private static final int MANY = 10_000;

  private final GatedPodMemory memory = new GatedPodMemory(BUDGET);

  private static GatedPod pod(String namespace, String name, String uid, int claims) {
    PodClaim claim =
        new PodClaim("gpus", new Resolution.ResolvedTo(new ClaimRef(namespace, "claim"), true));
    return pod(
        new PodRef(namespace, name, uid),
        ImmutableList.copyOf(Collections.nCopies(claims, claim)),
        NodeDemand.NONE,
        /* gated= */ true);
  }

  private static GatedPod pod(
      PodRef ref, ImmutableList<PodClaim> claims, NodeDemand demand, boolean gated) {
    return new GatedPod(
        new PodFacts(
            ref,
            new WaitRank(3, Instant.EPOCH),
            Optional.empty(),
            false,
            false,
            claims,
            ImmutableList.of()),
        gated,
        false,
        demand,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static GatedPod pod(String namespace, int number) {
    return pod(namespace, "p" + number, "u" + number, 10);
  }

  private static GatedPod demanding(String name, NodeDemand demand) {
    return pod(new PodRef("ns", name, "u"), ImmutableList.of(), demand, /* gated= */ true);
  }

  /** A pod with a claim, whose demand takes about so many bytes. */
  private static GatedPod demanding(long bytes) {
    return pod(
        new PodRef("ns", "p", "u"),
        pod("ns", "p", "u", 1).facts().claims(),
        new NodeDemand(
            Optional.empty(),
            ImmutableList.of(),
            ImmutableMap.of(Strings.repeat("r", (int) bytes), 1L)),
        /* gated= */ true);
  }

  /** The number of pods of a namespace that are kept as they are. */
  private int kept(String namespace) {
    return (int)
        IntStream.range(0, MANY)
            .mapToObj(i -> pod(namespace, i))
            .filter(pod -> memory.kept(pod).equals(pod))
            .count();
  }

  @Test
  void ofWhatExceedsTheBudgetOnlyTheNameIsKeptAndTheSchedulerJudgesIt() {
    int full = kept("ns");
    GatedPod more = memory.kept(pod("ns", MANY));

    assertThat(full).isBetween(10, MANY / 10);
    assertThat(more.ref()).isEqualTo(pod("ns", MANY).ref());
    assertThat(more.gated()).isTrue();
    assertThat(more.unjudged()).hasValue(LiftReason.CROWDED);
    assertThat(more.facts().claims()).isEmpty();
  }

  @Test
  void aNamespaceLeavesRoomForOthers() {
    int first = kept("a");
    int second = kept("b");

    assertThat(second).isBetween(first / 5, first / 3);
    assertThat(kept("c")).isPositive();
  }

  @Test
  void podsAtTheGateLeaveRoomForThoseWithoutIt() {
    for (int i = 0; i < 30; i++) {
      kept("team" + i);
    }
    GatedPod gated = pod("last", MANY);
    GatedPod ungated =
        pod(gated.ref(), gated.facts().claims(), NodeDemand.NONE, /* gated= */ false);

    assertThat(memory.kept(gated).facts().claims()).isEmpty();
    assertThat(memory.kept(ungated)).isEqualTo(ungated);
  }

  @Test
  void podsThatAreGoneMakeRoom() {
    int full = kept("ns");
    IntStream.range(0, full).forEach(i -> memory.gone(pod("ns", i).ref()));
    assertThat(kept("other")).isEqualTo(full);

    memory.retain(key -> false);
    assertThat(kept("ns")).isEqualTo(full);
  }

  @Test
  void podsThatExistKeepTheirRoom() {
    int full = kept("ns");
    memory.retain(key -> true);
    memory.gone(new PodRef("ns", "p0", "a former pod of the name"));

    assertThat(memory.kept(pod("ns", MANY)).unjudged()).hasValue(LiftReason.CROWDED);
    assertThat(kept("ns")).isEqualTo(full);
  }

  @Test
  void aPodThatGrowsIsChargedForItsSizeNow() {
    GatedPod small = demanding(1);
    GatedPod huge = demanding(BUDGET);
    assertThat(memory.kept(small)).isEqualTo(small);
    assertThat(memory.kept(huge)).isEqualTo(huge.crowdedWithClaims());

    GatedPod large = demanding(BUDGET / 3);
    assertThat(memory.kept(large)).isEqualTo(large);
    assertThat(memory.kept(pod("other", "p", "u", 2_000)).unjudged()).isPresent();
    assertThat(memory.kept(small)).isEqualTo(small);
    assertThat(memory.kept(pod("other", "p", "u", 1_000)).unjudged()).isEmpty();
  }

  @Test
  void aPodAtTheGateKeepsItsClaimsHoweverFullTheMemoryIs() {
    GatedPod waits = demanding(1);
    GatedPod grown = demanding(BUDGET);
    assertThat(memory.kept(waits)).isEqualTo(waits);
    assertThat(kept("ns")).isPositive();

    assertThat(memory.kept(waits)).isEqualTo(waits);
    assertThat(memory.kept(grown).facts().claims()).isEqualTo(waits.facts().claims());
    assertThat(memory.kept(grown).unjudged()).hasValue(LiftReason.CROWDED);
  }

  @Test
  void aPodWhoseGateWasRemovedIsKeptSinceItMayHaveAGrant() {
    GatedPod gated = pod("ns", "p", "u", 1);
    GatedPod lifted = pod("ns", "p", "u", 5_000).lifted();
    GatedPod later = pod("ns", "p", "u-2", 5_000).lifted();
    assertThat(memory.kept(gated)).isEqualTo(gated);

    assertThat(memory.kept(lifted)).isEqualTo(lifted);
    assertThat(memory.kept(later)).isEqualTo(later.crowded());
  }

  @Test
  void equalDemandsOfANamespaceCountOnce() {
    NodeDemand demand =
        new NodeDemand(
            Optional.empty(),
            ImmutableList.of(),
            ImmutableMap.of(Strings.repeat("r", (int) BUDGET / 5), 1L));
    NodeDemand another =
        new NodeDemand(
            Optional.empty(),
            ImmutableList.of(),
            ImmutableMap.of(Strings.repeat("s", (int) BUDGET / 5), 1L));

    assertThat(memory.kept(demanding("p", demand)).unjudged()).isEmpty();
    assertThat(memory.kept(demanding("q", demand)).unjudged()).isEmpty();
    assertThat(memory.kept(demanding("r", another)).unjudged()).hasValue(LiftReason.CROWDED);
    memory.gone(demanding("p", demand).ref());
    assertThat(memory.kept(demanding("r", another)).unjudged()).hasValue(LiftReason.CROWDED);
    memory.gone(demanding("q", demand).ref());
    assertThat(memory.kept(demanding("r", another)).unjudged()).isEmpty();
  }

  @Test
  void tenThousandPodsOfOneTemplateFit() {
    GatedPodMemory shipped = new GatedPodMemory(MemoryBudget.GATED_PODS.bytes());
    String claim = "training-7d9f6b5c4d-x2x2x-gpus-8kq2p";
    ImmutableList<PodClaim> claims =
        ImmutableList.of(
            new PodClaim("gpus", new Resolution.ResolvedTo(new ClaimRef("team-a", claim), true)));

    assertThat(
            IntStream.range(0, MANY)
                .mapToObj(
                    i ->
                        new PodRef("team-a", "training-of-the-large-model-7d9f6b5c4d-" + i, uid(i)))
                .map(ref -> shipped.kept(pod(ref, claims, NodeDemand.NONE, /* gated= */ true))))
        .allMatch(pod -> pod.unjudged().isEmpty());
  }

  /** Of the budget, one namespace gets three quarters at most. */
  @Test
  void tenThousandPodsThatDifferTakeLessThan64Mebibytes() {
    GatedPodMemory wide = new GatedPodMemory((64L << 20) * 4 / 3);
    GatedPodMapping mapping = new GatedPodMapping(new PodMapping(30, "gpu.resource.example.com"));

    assertThat(
            IntStream.range(0, MANY)
                .mapToObj(i -> mapping.pod(different(i)).orElseThrow())
                .map(wide::kept))
        .allMatch(pod -> pod.unjudged().isEmpty());
  }

  private static final V1Pod TEMPLATE =
      Yaml.loadAs(
          """
          metadata: {namespace: team-a}
          spec:
            schedulingGates: [{name: gpu.resource.example.com/granted}]
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms:
                  - matchExpressions:
                    - {key: kubernetes.io/hostname, operator: NotIn, values: [worker-1, worker-17]}
            tolerations:
            - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
            containers:
            - name: main
              resources: {requests: {cpu: "8", memory: 64Gi, ephemeral-storage: 10Gi}}
            - name: sidecar
              resources: {requests: {cpu: 100m, memory: 1Gi}}
            resourceClaims:
            - {name: gpus, source: {resourceClaimTemplateName: gpus}}
            - {name: more, source: {resourceClaimTemplateName: more}}
          """,
          V1Pod.class);

  private static V1Pod different(int number) {
    String own = "own-value-of-pod-" + number;
    V1ObjectMeta metadata =
        new V1ObjectMeta()
            .namespace("team-a")
            .name("training-of-the-large-model-7d9f6b5c4d-" + number)
            .uid(uid(number))
            .labels(
                Map.of(
                    "gpu.resource.example.com/group",
                    own,
                    "gpu.resource.example.com/group-size",
                    "8"));
    TEMPLATE.getSpec().setNodeSelector(Map.of("node.kubernetes.io/instance-type", own));
    return TEMPLATE.metadata(metadata);
  }

  private static String uid(int number) {
    return "6f1c2a9e-5b1d-4c7e-9a53-%012d".formatted(number);
  }
}
