package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.dropped;
import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.ClaimJson;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.apis.ResourceV1alpha2Api;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes over the wire for each write, and what each answer means. */
class KubeClaimStoreTest {
  private static final KubeSettings SETTINGS =
      new KubeSettings("gpu.example.com", 30, Clock.systemUTC());
  private static final ClaimRef REF = new ClaimRef("ns", "c1");
  private static final PodRef POD = new PodRef("ns", "p1", "pod-uid");
  private static final ResourceHandle HANDLE =
      new ResourceHandle("the data", Optional.of("node-1"), true);
  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectCache<CachedClaim> cache = new ObjectCache<>(KubeClaimStore::indexed);
  private final ClaimOverlay overlay = new ClaimOverlay(cache);
  private final List<Reply> replies = new ArrayList<>();
  private boolean mayWrite = true;
  private ScriptedServer server;
  private HttpClients http;
  private KubeClaimStore claims;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(call -> replies.remove(0));
    http = server.client();
    claims =
        new KubeClaimStore(
            new ResourceV1alpha2Api(http.api()),
            cache,
            overlay,
            new LiveObjects<>(http, ClaimJson.KIND, bad -> {}),
            new ClaimPatches(SETTINGS),
            () -> mayWrite);
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  @Test
  void addFinalizerKeepsOthers() {
    ClaimFacts seen = cached(ClaimJson.claim(5).finalizer("other/one").annotation("a", "b"));
    replies.add(json(200, ClaimJson.claim(6).finalizer("other/one").withFinalizer().text()));
    WriteOutcome outcome = claims.addFinalizer(seen);
    assertThat(outcome.kind()).isEqualTo(Kind.DONE);
    assertThat(outcome.now().map(ClaimFacts::hasFinalizer)).hasValue(true);
    assertThat(only().method()).isEqualTo("PATCH");
    assertThat(only().path())
        .isEqualTo("/apis/resource.k8s.io/v1alpha2/namespaces/ns/resourceclaims/c1");
    assertThat(only().contentType()).isEqualTo("application/strategic-merge-patch+json");
    assertThat(only().body())
        .isEqualTo(
            "{\"metadata\":{\"uid\":\"uid-1\",\"resourceVersion\":\"5\","
                + "\"finalizers\":[\"gpu.example.com/deletion-protection\"]}}");
  }

  @Test
  void removeFinalizerKeepsOthers() {
    ClaimFacts seen = cached(ClaimJson.claim(5).finalizer("other/one").withFinalizer());
    replies.add(json(200, ClaimJson.claim(6).finalizer("other/one").text()));
    assertThat(claims.removeFinalizer(seen).kind()).isEqualTo(Kind.DONE);
    assertThat(only().body())
        .isEqualTo(
            "{\"metadata\":{\"uid\":\"uid-1\",\"resourceVersion\":\"5\","
                + "\"$deleteFromPrimitiveList/finalizers\":[\"gpu.example.com/deletion-protection\"]}}");
  }

  @Test
  void removeFinalizerThatLeavesAnotherRemovesNoObject() {
    ClaimFacts seen = cached(ClaimJson.claim(5).finalizer("other/one").withFinalizer().deleting());
    replies.add(json(200, ClaimJson.claim(6).finalizer("other/one").deleting().text()));
    assertThat(claims.removeFinalizer(seen).now()).isPresent();
    assertThat(claims.get(seen.ref())).isPresent();
  }

  @Test
  void removeFinalizerThatRemovesTheObjectIsDoneWithoutAnObject() {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer().deleting());
    replies.add(json(200, ClaimJson.claim(5).deleting().text()));
    assertThat(claims.removeFinalizer(seen)).isEqualTo(WriteOutcome.of(Kind.DONE));
    assertThat(claims.get(seen.ref())).as("nobody writes it again").isEmpty();
  }

  @Test
  void allocateWritesOneHandleItsOnlyNodeAndThePod() throws JsonProcessingException {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer());
    replies.add(
        json(200, ClaimJson.claim(6).withFinalizer().allocated("the data", "node-1").text()));
    assertThat(claims.allocate(seen, HANDLE, Optional.of(POD)).kind()).isEqualTo(Kind.DONE);
    assertThat(only().path()).endsWith("/resourceclaims/c1/status");
    JsonNode status = JSON.readTree(only().body()).path("status");
    assertThat(status.toString())
        .isEqualTo(
            "{\"driverName\":\"gpu.example.com\",\"allocation\":{\"resourceHandles\":["
                + "{\"driverName\":\"gpu.example.com\",\"data\":\"the data\"}],"
                + "\"availableOnNodes\":{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":"
                + "\"metadata.name\",\"operator\":\"In\",\"values\":[\"node-1\"]}]}]},"
                + "\"shareable\":true},\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"p1\","
                + "\"uid\":\"pod-uid\"}]}");
    assertThat(JSON.readTree(only().body()).at("/metadata/resourceVersion").asText())
        .isEqualTo("5");
  }

  @Test
  void allocateKeepsTheReservationsOfOthersSinceOldServersReplaceTheList()
      throws JsonProcessingException {
    ClaimJson stored = ClaimJson.claim(5).withFinalizer().allocated("the data", "node-1");
    ClaimFacts seen = cached(stored.reserved("another-uid"));
    replies.add(json(200, stored.reserved("pod-uid").text()));
    assertThat(claims.allocate(seen, HANDLE, Optional.of(POD)).kind()).isEqualTo(Kind.DONE);
    assertThat(JSON.readTree(only().body()).at("/status/reservedFor").toString())
        .isEqualTo(
            "[{\"resource\":\"pods\",\"name\":\"p1\",\"uid\":\"another-uid\"},"
                + "{\"resource\":\"pods\",\"name\":\"p1\",\"uid\":\"pod-uid\"}]");
  }

  @Test
  void allocateAnImmediateClaimReservesItForNobody() throws JsonProcessingException {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer());
    replies.add(
        json(200, ClaimJson.claim(6).withFinalizer().allocated("the data", "node-1").text()));
    assertThat(claims.allocate(seen, HANDLE, Optional.empty()).kind()).isEqualTo(Kind.DONE);
    assertThat(JSON.readTree(only().body()).at("/status/reservedFor").isMissingNode()).isTrue();
  }

  @Test
  void clearDropsAllocationDriverNameAndRequestInOneWrite() throws JsonProcessingException {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer().allocated("d", "n").requested());
    replies.add(json(200, ClaimJson.claim(6).withFinalizer().text()));
    assertThat(claims.deallocate(seen, /* keepDriverName= */ false).kind()).isEqualTo(Kind.DONE);
    assertThat(only().path()).endsWith("/status");
    assertThat(JSON.readTree(only().body()).path("status").toString())
        .isEqualTo("{\"allocation\":null,\"deallocationRequested\":null,\"driverName\":null}");
    assertThat(claims.get(REF).orElseThrow().allocation()).isEmpty();
  }

  @Test
  void deallocateKeepsTheDriverNameOfAClaimThatMayStillBePrepared() throws JsonProcessingException {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer().allocated("d", "n").requested());
    replies.add(json(200, ClaimJson.claim(6).withFinalizer().mayStillBePrepared().text()));
    assertThat(claims.deallocate(seen, /* keepDriverName= */ true).kind()).isEqualTo(Kind.DONE);
    assertThat(JSON.readTree(only().body()).path("status").toString())
        .isEqualTo("{\"allocation\":null,\"deallocationRequested\":null}");
    assertThat(claims.get(REF).orElseThrow().mayStillBePrepared()).isTrue();
  }

  @Test
  void theRequestOfADeallocationTakesTheConsumersAway() throws JsonProcessingException {
    ClaimFacts seen =
        cached(ClaimJson.claim(5).withFinalizer().allocated("d", "n").reserved("pod-uid"));
    replies.add(
        json(200, ClaimJson.claim(6).withFinalizer().allocated("d", "n").requested().text()));
    assertThat(claims.requestDeallocation(seen).kind()).isEqualTo(Kind.DONE);
    assertThat(JSON.readTree(only().body()).path("status").toString())
        .isEqualTo("{\"reservedFor\":null,\"deallocationRequested\":true}");
    assertThat(claims.requestDeallocation(seen).kind()).isEqualTo(Kind.DONE);
  }

  @Test
  void everyWriteIsAPatchOfOneHalfWithTheVersionAndUidThatWereRead()
      throws JsonProcessingException {
    for (int i = 0; i < 5; i++) {
      replies.add(json(409, "{}"));
    }
    List<Kind> outcomes =
        List.of(
            claims.addFinalizer(cached(ClaimJson.claim(5))).kind(),
            claims
                .allocate(cached(ClaimJson.claim(6).withFinalizer()), HANDLE, Optional.of(POD))
                .kind(),
            claims
                .deallocate(
                    cached(ClaimJson.claim(7).withFinalizer().allocated("d", "n")),
                    /* keepDriverName= */ false)
                .kind(),
            claims.removeFinalizer(cached(ClaimJson.claim(8).withFinalizer())).kind(),
            claims
                .requestDeallocation(cached(ClaimJson.claim(9).withFinalizer().allocated("d", "n")))
                .kind());
    assertThat(outcomes).containsOnly(Kind.CONFLICT);
    for (int i = 0; i < 5; i++) {
      Call call = server.calls().get(i);
      JsonNode metadata = JSON.readTree(call.body()).path("metadata");
      assertThat(call.method()).isEqualTo("PATCH");
      assertThat(metadata.path("resourceVersion").asInt()).isEqualTo(5 + i);
      assertThat(metadata.path("uid").asText()).isEqualTo("uid-1");
      assertThat(call.path().endsWith("/status")).isEqualTo(i == 1 || i == 2 || i == 4);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "409,CONFLICT", "404,GONE", "422,REJECTED", "400,REJECTED", "403,REJECTED", "405,REJECTED",
    "413,REJECTED", "401,UNCLEAR", "408,UNCLEAR", "429,UNCLEAR", "500,UNCLEAR", "503,UNCLEAR",
    "504,UNCLEAR"
  })
  void everyAnswerHasItsOutcome(int code, Kind expected) {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(
        json(code, "{\"kind\":\"Status\",\"details\":{\"causes\":[{\"field\":\"spec\"}]}}"));
    assertThat(claims.addFinalizer(seen)).isEqualTo(WriteOutcome.of(expected));
    assertThat(server.calls()).hasSize(1);
  }

  @Test
  void anotherUidIsGone() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(
        json(422, "{\"kind\":\"Status\",\"details\":{\"causes\":[{\"field\":\"metadata.uid\"}]}}"));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.GONE);
  }

  @Test
  void aDroppedReplyIsUnclearAndIsNotSentAgainByTheClient() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(json(409, "{}"));
    replies.add(dropped());
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.CONFLICT);
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.UNCLEAR);
    assertThat(server.calls()).hasSize(2);
  }

  @Test
  void anAnswerThatIsNoClaimIsUnclear() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(json(200, "<html>"));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.UNCLEAR);
  }

  @Test
  void nobodyThereIsUnclear() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    server.close();
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.UNCLEAR);
  }

  @Test
  void whatIsAlreadySoNeedsNoCall() {
    ClaimFacts seen =
        cached(
            ClaimJson.claim(5).withFinalizer().allocated("the data", "node-1").reserved("pod-uid"));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.DONE);
    assertThat(claims.allocate(seen, HANDLE, Optional.of(POD)).kind()).isEqualTo(Kind.DONE);
    ClaimFacts free = cached(ClaimJson.claim(7));
    assertThat(claims.removeFinalizer(free).kind()).isEqualTo(Kind.DONE);
    assertThat(claims.deallocate(free, /* keepDriverName= */ false).kind()).isEqualTo(Kind.DONE);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void aGrantIsNotThereBeforeItIsReservedForThePod() throws JsonProcessingException {
    ClaimFacts seen = cached(ClaimJson.claim(5).withFinalizer().allocated("the data", "node-1"));
    replies.add(json(409, "{}"));

    assertThat(claims.allocate(seen, HANDLE, Optional.of(POD)).kind()).isEqualTo(Kind.CONFLICT);
    assertThat(JSON.readTree(only().body()).at("/status/reservedFor/0/uid").asText())
        .isEqualTo("pod-uid");
    assertThat(claims.allocate(seen, HANDLE, Optional.empty()).kind()).isEqualTo(Kind.DONE);
    assertThat(server.calls()).hasSize(1);
  }

  @Test
  void anUnclearWriteThatTheWatchShowsIsDoneWithoutAnotherCall() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(dropped());
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.UNCLEAR);
    cached(ClaimJson.claim(6).withFinalizer());
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.DONE);
    assertThat(server.calls()).hasSize(1);
  }

  @Test
  void aNewerStateIsAConflictAndAnotherUidIsGoneWithoutACall() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    cached(ClaimJson.claim(6));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.CONFLICT);
    cached(ClaimJson.claim(7).uid("uid-2"));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.GONE);
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void withoutLeadershipNoStatusLeavesButAFinalizerMay() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    mayWrite = false;
    assertThat(claims.allocate(seen, HANDLE, Optional.empty()).kind()).isEqualTo(Kind.UNCLEAR);
    assertThat(server.calls()).isEmpty();
    replies.add(json(200, ClaimJson.claim(6).withFinalizer().text()));
    assertThat(claims.addFinalizer(seen).kind()).isEqualTo(Kind.DONE);
  }

  @Test
  void aWriteIsReadBackBeforeTheWatchShowsIt() {
    ClaimFacts seen = cached(ClaimJson.claim(5));
    replies.add(json(200, ClaimJson.claim(6).withFinalizer().text()));
    claims.addFinalizer(seen);
    assertThat(claims.get(REF).map(ClaimFacts::resourceVersion)).hasValue("6");
  }

  @Test
  void aLiveReadAsksTheServerAndIsRemembered() throws ApiUnavailableException {
    replies.add(json(200, ClaimJson.claim(9).withFinalizer().text()));
    assertThat(claims.live(REF).map(ClaimFacts::hasFinalizer)).hasValue(true);
    assertThat(claims.get(REF).map(ClaimFacts::resourceVersion)).hasValue("9");
    replies.add(json(404, "{}"));
    assertThat(claims.live(REF)).isEmpty();
    replies.add(json(500, "{}"));
    assertThatThrownBy(() -> claims.live(REF))
        .isInstanceOf(ApiUnavailableException.class)
        .hasMessage("read claim ns/c1");
  }

  @Test
  void theLiveListIsConsistentAndComplete() throws ApiUnavailableException {
    replies.add(
        json(
            200,
            "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":["
                + ClaimJson.claim(5).text()
                + ",{\"metadata\":{\"name\":\"c2\"},\"spec\":7}]}"));
    assertThat(claims.liveList()).extracting(ClaimFacts::ref).containsExactly(REF);
    assertThat(only().query()).isEmpty();
    replies.add(json(200, "{\"items\":["));
    assertThatThrownBy(() -> claims.liveList()).isInstanceOf(ApiUnavailableException.class);
  }

  @Test
  void findsTheClaimsOfAClassAndOfParametersInEitherSpelling() {
    cached(ClaimJson.claim(5).parameters("gpu.resource.example.com/v1alpha1", "params"));
    assertThat(claims.ofClass("gpu")).containsExactly(REF);
    assertThat(claims.ofClass("other")).isEmpty();
    assertThat(claims.ofParameters(params("ns"))).containsExactly(REF);
    assertThat(claims.ofParameters(params("elsewhere"))).isEmpty();
  }

  /** What a tenant may write into a claim is up to a megabyte, and there may be thousands. */
  @Test
  void remembersLittleOfAClaimHoweverMuchSomebodyWroteIntoIt() {
    String long1 = "x".repeat(100_000);
    ClaimFacts facts =
        cached(ClaimJson.claim(5).parameters(long1, long1).annotation("a", long1).owner(long1));
    assertThat(facts.toString()).hasSizeLessThan(2_000);
    ParametersRef cut = facts.parameters().orElseThrow();
    assertThat(cut.name()).as("the name of no object").hasSizeGreaterThan(253);
  }

  private static ParametersRef params(String namespace) {
    return new ParametersRef(
        "gpu.resource.example.com", "GpuClaimParameters", Optional.of(namespace), "params");
  }

  private Call only() {
    assertThat(server.calls()).hasSize(1);
    return server.calls().get(0);
  }

  private ClaimFacts cached(ClaimJson claim) {
    Kept<CachedClaim> kept = claim.kept();
    cache.put(kept);
    return kept.value().facts();
  }
}
