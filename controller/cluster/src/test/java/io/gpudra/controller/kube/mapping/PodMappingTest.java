package io.gpudra.controller.kube.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.GroupLabel.Kind;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.kubernetes.client.openapi.models.V1ClaimSource;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The naming rules of each server version, one row per rule (protocol.md 1.6). */
class PodMappingTest {
  private static final int ENTRIES = 8_000;
  private static final PodRef POD = new PodRef("ns", "pod", "uid");
  private static final String TEMPLATE =
      "{\"name\":\"gpu\",\"source\":{\"resourceClaimTemplateName\":\"t\"}}";
  private static final String DIRECT =
      "{\"name\":\"gpu\",\"source\":{\"resourceClaimName\":\"shared\"}}";

  static Stream<Arguments> rules() {
    String recorded = "{\"name\":\"gpu\",\"resourceClaimName\":\"pod-gpu-x7z\"}";
    Resolution deterministic = to("pod-gpu", true);
    return Stream.of(
        Arguments.of(27, DIRECT, "", to("shared", false)),
        Arguments.of(30, DIRECT, "", to("shared", false)),
        Arguments.of(27, TEMPLATE, "", deterministic),
        Arguments.of(27, TEMPLATE, recorded, deterministic),
        Arguments.of(28, TEMPLATE, recorded, to("pod-gpu-x7z", true)),
        Arguments.of(30, TEMPLATE, recorded, to("pod-gpu-x7z", true)),
        Arguments.of(30, TEMPLATE, "", new Resolution.NotYet()),
        Arguments.of(30, TEMPLATE, "{\"name\":\"another\"}", new Resolution.NotYet()),
        Arguments.of(30, TEMPLATE, "{\"name\":\"gpu\"}", new Resolution.None()),
        Arguments.of(
            30, TEMPLATE, "{\"name\":\"gpu\",\"resourceClaimName\":null}", new Resolution.None()),
        Arguments.of(30, "{\"name\":\"gpu\",\"source\":{}}", "", new Resolution.None()),
        Arguments.of(
            30, "{\"name\":\"gpu\",\"resourceClaimName\":\"of-1.31\"}", "", new Resolution.None()));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void resolves(int minor, String entry, String status, Resolution expected) {
    assertThat(facts(minor, entry, status, "Pending").claims())
        .containsExactly(new PodClaim("gpu", expected));
  }

  @ParameterizedTest
  @CsvSource({"Pending,false", "Running,false", "Succeeded,true", "Failed,true", "Unknown,false"})
  void knowsAFinishedPod(String phase, boolean terminal) {
    assertThat(facts(30, DIRECT, "", phase).terminal()).isEqualTo(terminal);
  }

  @Test
  void knowsADeletedPodAndOneWithoutClaims() {
    PodFacts facts =
        mapping(30)
            .facts(POD, pod("{\"metadata\":{\"deletionTimestamp\":\"2026-11-21T10:00:00Z\"}}"));
    assertThat(facts.deleting()).isTrue();
    assertThat(facts.claims()).isEmpty();
  }

  @Test
  void containersThatUseSeveralClaimsAreKnown() {
    String both = "{\"claims\":[{\"name\":\"b\"},{\"name\":\"a\"},{\"name\":\"c\"}]}";
    String pod =
        "{'resourceClaims':[{'name':'a'},{'name':'b'}],"
            + "'initContainers':[{'name':'first','resources':BOTH}],"
            + "'containers':[{'name':'one','resources':{'claims':[{'name':'a'}]}},"
            + "{'name':'two','resources':BOTH},{'name':'none'}]}";
    assertThat(ofSpec(pod.replace('\'', '"').replace("BOTH", both)).containers())
        .containsExactly(new Container("first", 0b11), new Container("two", 0b11));
  }

  /** The status of an entry that writes down each look at its name. */
  private static final class CountedStatus extends V1PodResourceClaimStatus {
    private final AtomicInteger looks;

    CountedStatus(String entry, String claim, AtomicInteger looks) {
      this.looks = looks;
      setName(entry);
      setResourceClaimName(claim);
    }

    @Override
    public String getName() {
      looks.incrementAndGet();
      return super.getName();
    }
  }

  @Test
  void eachStatusIsReadOnceHoweverManyEntriesAPodHas() {
    AtomicInteger looks = new AtomicInteger();
    V1PodSpec spec = new V1PodSpec();
    V1PodStatus status = new V1PodStatus();
    for (int i = 0; i < ENTRIES; i++) {
      spec.addResourceClaimsItem(
          new V1PodResourceClaim()
              .name("gpu" + i)
              .source(new V1ClaimSource().resourceClaimTemplateName("t")));
      status.addResourceClaimStatusesItem(new CountedStatus("gpu" + i, "claim" + i, looks));
    }
    status.addResourceClaimStatusesItem(new CountedStatus("gpu0", "second", looks));

    PodFacts facts = mapping(30).facts(POD, new V1Pod().spec(spec).status(status));

    assertThat(looks).hasValue(ENTRIES + 1);
    assertThat(facts.claims().get(0)).isEqualTo(new PodClaim("gpu0", to("claim0", true)));
    assertThat(facts.claims().get(ENTRIES - 1).resolution())
        .isEqualTo(to("claim" + (ENTRIES - 1), true));
  }

  @Test
  void theRankIsPriorityAndAgeOfThePod() {
    PodFacts facts =
        mapping(30)
            .facts(
                POD,
                pod(
                    """
                    {"metadata":{"creationTimestamp":"2026-11-21T10:00:00Z"},"spec":{"priority":-7}}
                    """));

    assertThat(facts.rank()).isEqualTo(new WaitRank(-7, Instant.parse("2026-11-21T10:00:00Z")));
    assertThat(mapping(30).facts(POD, pod("{}")).rank().priority()).isZero();
  }

  @Test
  void aPodIsAMemberByOurLabelsOrByThoseOfKueue() {
    assertThat(group("'gpu.example.com/group':'g','gpu.example.com/group-size':'4'", ""))
        .hasValue(new GroupLabel(Kind.OWN, "g", "4", false));
    assertThat(group("'kueue.x-k8s.io/pod-group-name':'k'", "3"))
        .hasValue(new GroupLabel(Kind.KUEUE, "k", "3", false));
    assertThat(group("'gpu.example.com/group':'g'", ""))
        .hasValue(new GroupLabel(Kind.OWN, "g", "", false));
    assertThat(group("'gpu.example.com/group-size':'4'", "")).isEmpty();
    assertThat(mapping(30).facts(POD, pod("{}")).group()).isEmpty();
  }

  @Test
  void ofLabelsThatDisagreeOursCountAndTheDisputeIsKnown() {
    String both =
        "'gpu.example.com/group':'g','gpu.example.com/group-size':'4',"
            + "'kueue.x-k8s.io/pod-group-name':'%s'";

    assertThat(group(both.formatted("g"), "4")).hasValue(new GroupLabel(Kind.OWN, "g", "4", false));
    assertThat(group(both.formatted("k"), "4")).hasValue(new GroupLabel(Kind.OWN, "g", "4", true));
    assertThat(group(both.formatted("g"), "5")).hasValue(new GroupLabel(Kind.OWN, "g", "4", true));
  }

  @Test
  void ofAnEndlessSizeTheBeginningIsKept() {
    assertThat(group("'kueue.x-k8s.io/pod-group-name':'k'", "9".repeat(5_000)))
        .hasValue(new GroupLabel(Kind.KUEUE, "k", "999999999…", false));
  }

  private static Optional<GroupLabel> group(String labels, String kueuesSize) {
    String metadata =
        "{'metadata':{'labels':{%s},'annotations':{'kueue.x-k8s.io/pod-group-total-count':'%s'}}}"
            .formatted(labels, kueuesSize);
    return mapping(30).facts(POD, pod(metadata.replace('\'', '"'))).group();
  }

  @Test
  void whatTheSchedulerIsToldAndSaysIsKnown() {
    String pod =
        """
        {"spec":{"schedulerName":"volcano","schedulingGates":[{"name":"a"},{"name":null}]},
         "status":{"conditions":[{"type":"Ready","message":"x"},
          {"type":"PodScheduled","reason":"Unschedulable","message":"%s"}]}}
        """;
    assertThat(mapping(30).podView(pod(pod.formatted("0/3 nodes"))).scheduling())
        .isEqualTo(new Scheduling(ImmutableList.of("a", ""), "volcano", Optional.of("0/3 nodes")));
    assertThat(mapping(30).podView(pod("{}")).scheduling()).isEqualTo(Scheduling.USUAL);
    assertThat(
            mapping(30)
                .podView(pod(pod.formatted("x".repeat(5_000))))
                .scheduling()
                .refusal()
                .orElseThrow())
        .hasSize(1_024);
  }

  @Test
  void theOwnerOfAMemberIsKnown() {
    String pod =
        """
        {"metadata":{"namespace":"ns","name":"pod","uid":"uid","ownerReferences":[
          {"uid":"other"},{"uid":"job","controller":true}]},
         "spec":{"nodeName":"worker-1"},"status":{"phase":"Succeeded"}}
        """;
    assertThat(mapping(30).podView(pod(pod)).member())
        .isEqualTo(
            new MemberFacts(
                POD,
                Optional.of("job"),
                true,
                false,
                MemberFacts.Phase.SUCCEEDED,
                ImmutableSet.of()));
  }

  @Test
  void ofTheClaimsOfAMemberAsManyAreKnownAsMayBeServed() {
    String claims =
        IntStream.range(0, 2 * MemberFacts.MAX_CLAIMS)
            .mapToObj(
                i ->
                    "{\"name\":\"c%d\",\"source\":{\"resourceClaimName\":\"c%d\"}}".formatted(i, i))
            .collect(Collectors.joining(","));
    String pod =
        """
        {"metadata":{"namespace":"ns","name":"pod","uid":"uid"},"spec":{"resourceClaims":[%s]}}
        """;
    assertThat(mapping(30).podView(pod(pod.formatted(claims))).member().claims())
        .hasSize(MemberFacts.MAX_CLAIMS)
        .contains(new ClaimRef("ns", "c0"));
  }

  @Test
  void aPodThatIsGatedIsNotRefused() {
    assertThat(
            mapping(30)
                .podView(
                    pod(
                        """
                        {"status":{"conditions":[{"type":"PodScheduled","reason":"SchedulingGated",
                          "message":"Scheduling is blocked due to non-empty scheduling gates"}]}}
                        """))
                .scheduling()
                .refusal())
        .isEmpty();
  }

  @Test
  void ofAPodWithoutEndOnlyWhatCanBeServedIsKept() {
    String entries = list(5_000, i -> "{\"name\":\"c" + i + "\"}");
    String containers =
        list(
            1_000,
            i ->
                "{\"name\":\"n\",\"resources\":{\"claims\":[{\"name\":\"c0\"},{\"name\":\"c1\"}]}}");
    assertThat(
            ofSpec("{\"resourceClaims\":[%s],\"containers\":[%s]}".formatted(entries, containers))
                .containers())
        .hasSize(64);
  }

  private static String list(int count, IntFunction<String> item) {
    return IntStream.range(0, count).mapToObj(item).collect(Collectors.joining(","));
  }

  private static PodFacts ofSpec(String spec) {
    return mapping(30).facts(POD, pod("{\"spec\":%s}".formatted(spec)));
  }

  private static PodFacts facts(int minor, String entry, String status, String phase) {
    String pod =
        "{\"spec\":{\"resourceClaims\":[%s]},\"status\":{\"phase\":\"%s\",\"resourceClaimStatuses\":[%s]}}"
            .formatted(entry, phase, status);
    return mapping(minor).facts(POD, pod(pod));
  }

  private static PodMapping mapping(int minor) {
    return new PodMapping(minor, "gpu.example.com");
  }

  private static V1Pod pod(String json) {
    return LenientJson.gson().fromJson(json, V1Pod.class);
  }

  private static Resolution to(String claim, boolean mustBeOwned) {
    return new Resolution.ResolvedTo(new ClaimRef("ns", claim), mustBeOwned);
  }
}
