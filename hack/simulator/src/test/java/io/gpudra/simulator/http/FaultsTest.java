package io.gpudra.simulator.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.conformance.Client;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tests can order and count. */
class FaultsTest {
  private static final String NODES = "/api/v1/nodes";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Match CREATE = new Match("create", "nodes", "");

  private final EmbeddedApiServer server = EmbeddedApiServer.start(0);
  private final Client client = Client.of(server.url());

  @AfterEach
  void stop() {
    server.close();
  }

  private Client.Answer node(String name) {
    return client.post(NODES, body(name));
  }

  private static String body(String name) {
    return "{\"metadata\":{\"name\":\"" + name + "\"}}";
  }

  private boolean isThere(String name) {
    return server.api().get(Resource.NODES, "", name).isPresent();
  }

  @Test
  void aDroppedReplyLeavesTheEffectOrNot() {
    server.faults().inject(CREATE, Fault.dropBefore(), 1);
    assertThatThrownBy(() -> node("a")).isInstanceOf(UncheckedIOException.class);
    assertThat(isThere("a")).isFalse();
    server.faults().inject(CREATE, Fault.dropAfter(), 1);
    assertThatThrownBy(() -> node("b")).isInstanceOf(UncheckedIOException.class);
    assertThat(isThere("b")).isTrue();
    assertThat(node("c").code()).as("once means once").isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 410, 429, 500})
  void aCodeIsAnsweredInsteadOfDoingIt(int code) {
    server.faults().inject(CREATE, Fault.answer(code), 2);
    assertThat(node("a").code()).isEqualTo(code);
    assertThat(client.get(NODES).code()).as("another verb").isEqualTo(200);
    assertThat(node("a").code()).isEqualTo(code);
    assertThat(isThere("a")).isFalse();
    assertThat(node("a").code()).isEqualTo(201);
  }

  @Test
  void aFaultThatLastsHitsEveryRequestUntilItIsCleared() {
    server.faults().inject(new Match("", "", ""), Fault.answer(500), Duration.ofHours(1));
    assertThat(node("a").code()).isEqualTo(500);
    assertThat(client.get(NODES).code()).isEqualTo(500);
    server.faults().clear();
    assertThat(node("a").code()).isEqualTo(201);
  }

  @Test
  void aDelayComesBeforeTheEffect() {
    long start = System.nanoTime();
    server.faults().inject(CREATE, Fault.delay(Duration.ofMillis(100)), 1);
    assertThat(node("a").code()).isEqualTo(201);
    assertThat(System.nanoTime() - start).isGreaterThan(100_000_000);
  }

  @Test
  void aHeldRequestIsHandledOnceItIsReleased() {
    server.faults().inject(CREATE, Fault.hold(), 1);
    CompletableFuture<Client.Answer> answer = CompletableFuture.supplyAsync(() -> node("a"));
    await().atMost(LIMIT).until(() -> server.faults().held() == 1);
    assertThat(isThere("a")).isFalse();
    server.faults().release();
    assertThat(answer.join().code()).isEqualTo(201);
    assertThat(server.faults().held()).isZero();
  }

  @Test
  void aFaultMayHitOneClientAlone() {
    Match other = new Match("gpudra-", "", "", "");
    server.faults().inject(other, Fault.answer(500), Duration.ofHours(1));
    assertThat(node("a").code()).isEqualTo(201);
    Match ours = new Match("conformance", "", "", "");
    server.faults().inject(ours, Fault.answer(500), Duration.ofHours(1));
    assertThat(node("b").code()).isEqualTo(500);
  }

  @Test
  void aRestartedServerHasWhatItHadAtItsAddressButNoHistory() throws Exception {
    String first = node("a").rv();
    node("b");
    server.stopServing();
    assertThatThrownBy(() -> client.get(NODES)).isInstanceOf(UncheckedIOException.class);
    server.serveAgain();
    assertThat(client.get(NODES + "/a").rv()).isEqualTo(first);
    try (Client.Events events = client.watch(NODES + "?watch=true&resourceVersion=" + first)) {
      assertThat(events.next().at("/object/code").asInt()).isEqualTo(410);
    }
    String now = client.get(NODES).at("metadata.resourceVersion");
    String third = node("c").rv();
    try (Client.Events events = client.watch(NODES + "?watch=true&resourceVersion=" + now)) {
      assertThat(events.brief()).isEqualTo("ADDED c@" + third);
    }
  }

  @Test
  void refusedConnectionsBreak() {
    server.faults().refuseConnections(true);
    assertThatThrownBy(() -> client.get(NODES)).isInstanceOf(UncheckedIOException.class);
    server.faults().refuseConnections(false);
    assertThat(client.get(NODES).code()).isEqualTo(200);
  }

  @Test
  void aCutWatchEndsAndANewOneResumes() throws Exception {
    String first = node("a").rv();
    String path = NODES + "?watch=true&resourceVersion=" + first;
    try (Client.Events events = client.watch(path)) {
      server.faults().cutWatches();
      assertThat(events.next().isMissingNode()).isTrue();
    }
    String second = node("b").rv();
    try (Client.Events events = client.watch(path)) {
      assertThat(events.brief()).isEqualTo("ADDED b@" + second);
    }
  }

  @Test
  void lateWatchesDeliverLater() throws Exception {
    server.faults().delayWatches(Duration.ofMillis(100));
    try (Client.Events events = client.watch(NODES + "?watch=true&resourceVersion=1")) {
      long start = System.nanoTime();
      node("a");
      assertThat(events.next().at("/type").asText()).isEqualTo("ADDED");
      assertThat(System.nanoTime() - start).isGreaterThan(100_000_000);
    }
  }

  @Test
  void requestsAreCountedByVerbResourceAndClient() {
    node("a");
    client.merge(NODES + "/a/status", "{}");
    client.get(NODES);
    assertThat(
            server
                .requests()
                .count(r -> r.verb().equals("patch") && r.resource().equals("nodes/status")))
        .isEqualTo(1);
    assertThat(server.requests().count(r -> r.userAgent().equals("conformance/1"))).isEqualTo(3);
    server.requests().clear();
    assertThat(server.requests().all()).isEmpty();
  }

  @Test
  void aRevisionThatIsForgottenIsAnErrorEventForAWatchAnd410ForAPage() throws Exception {
    try (EmbeddedApiServer forgetful = EmbeddedApiServer.startForgetful(0, 3)) {
      Client direct = Client.of(forgetful.url());
      String first = direct.post(NODES, body("n0")).rv();
      direct.post(NODES, body("n1"));
      String token = direct.get(NODES + "?limit=1").at("metadata.continue");
      for (int i = 2; i < 8; i++) {
        direct.post(NODES, body("n" + i));
      }
      Client.Events events = direct.watch(NODES + "?watch=true&resourceVersion=" + first);
      assertThat(events.code()).isEqualTo(200);
      JsonNode error = events.next();
      assertThat(error.at("/type").asText()).isEqualTo("ERROR");
      assertThat(error.at("/object/reason").asText()).isEqualTo("Expired");
      assertThat(error.at("/object/code").asInt()).isEqualTo(410);
      assertThat(direct.get(NODES + "?limit=1&continue=" + token).code()).isEqualTo(410);
    }
  }
}
