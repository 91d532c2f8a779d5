package io.gpudra.controller.client;

import static io.gpudra.controller.client.ScriptedServer.dropped;
import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.base.Ticker;
import io.gpudra.controller.client.EventSink.Subject;
import io.gpudra.controller.client.EventSink.Warning;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings arrive once each, whatever is in them, and nobody waits for them. */
class EventSinkTest {
  private static final int LARGE_ONES = 20;
  private static final Subject CLAIM =
      new Subject("resource.k8s.io/v1alpha2", "ResourceClaim", "ns", "c1", "uid-1");

  private final ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();
  private final MetricRegistry metrics = new MetricRegistry();
  private final AtomicLong nanos = new AtomicLong();
  private volatile boolean leads = true;
  private ScriptedServer server;
  private HttpClients http;
  private EventSink events;

  @BeforeEach
  void start() throws IOException {
    server =
        new ScriptedServer(
            call -> {
              Reply reply = replies.poll();
              return reply == null ? json(201, "{}") : reply;
            });
    http = server.client();
    events = sink(Clock.fixed(Instant.parse("2026-11-21T10:00:00.5Z"), ZoneOffset.UTC));
  }

  private EventSink sink(Clock clock) {
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return nanos.get();
          }
        };
    return new EventSink(http, "resource driver d", clock, ticker, () -> leads, metrics);
  }

  private void passFiveMinutes() {
    nanos.addAndGet(Duration.ofMinutes(5).toNanos());
  }

  @AfterEach
  void stop() {
    events.close();
    http.close();
    server.close();
  }

  @Test
  void postsAWarningWithQuotesAndNewlines() throws JsonProcessingException {
    String message = "say \"no\"\n\\ 100% — ü";
    events.start();
    events.warn(new Warning(CLAIM, "NoFreeDevice", Set.of("x"), message));
    awaitSent(1);
    Call call = server.calls().get(0);
    assertThat(call.method() + " " + call.path()).isEqualTo("POST /api/v1/namespaces/ns/events");
    JsonNode event = new JsonMapper().readTree(call.body());
    assertThat(event.path("message").asText()).isEqualTo(message);
    assertThat(event.path("type").asText()).isEqualTo("Warning");
    assertThat(event.path("reason").asText()).isEqualTo("NoFreeDevice");
    assertThat(event.path("firstTimestamp").asText()).isEqualTo("2026-11-21T10:00:00.000000Z");
    assertThat(event.at("/source/component").asText()).isEqualTo("resource driver d");
    assertThat(event.path("involvedObject").toString())
        .isEqualTo(
            "{\"apiVersion\":\"resource.k8s.io/v1alpha2\",\"kind\":\"ResourceClaim\","
                + "\"name\":\"c1\",\"namespace\":\"ns\",\"uid\":\"uid-1\"}");
    assertThat(event.at("/metadata/name").asText()).startsWith("c1.");
  }

  @Test
  void whatIsNoWarningIsAnEventOfItsOwnEachTime() throws JsonProcessingException {
    Warning note =
        new Warning(
            CLAIM, "Released", Set.of("x"), () -> "7200 GPU-seconds", 0, EventSink.Type.NORMAL);
    events.start();
    events.warn(note);
    awaitSent(1);
    passFiveMinutes();
    events.warn(note);
    awaitSent(2);

    assertThat(server.calls()).extracting(Call::method).containsExactly("POST", "POST");
    JsonNode event = new JsonMapper().readTree(server.calls().get(0).body());
    assertThat(event.path("type").asText()).isEqualTo("Normal");
  }

  @Test
  void raisesTheCountOfTheSameWarningAndPostsAnother() {
    events.start();
    events.warn(new Warning(CLAIM, "NoFreeDevice", Set.of("x"), "2 of 8"));
    awaitSent(1);
    passFiveMinutes();
    events.warn(new Warning(CLAIM, "NoFreeDevice", Set.of("x"), "3 \"of\" 8"));
    events.warn(new Warning(CLAIM, "NoFreeDevice", Set.of("y"), "other"));
    awaitSent(3);
    assertThat(server.calls()).extracting(Call::method).containsExactly("POST", "PATCH", "POST");
    Call patch = server.calls().get(1);
    assertThat(patch.contentType()).isEqualTo("application/merge-patch+json");
    assertThat(patch.path()).startsWith("/api/v1/namespaces/ns/events/c1.");
    assertThat(patch.body())
        .isEqualTo(
            "{\"count\":2,\"lastTimestamp\":\"2026-11-21T10:00:00.000000Z\","
                + "\"message\":\"3 \\\"of\\\" 8\"}");
  }

  @Test
  void postsAnewWhenTheEventHasExpired() {
    replies.add(json(201, "{}"));
    replies.add(json(404, "{}"));
    events.start();
    events.warn(new Warning(CLAIM, "R", Set.of(), "m"));
    awaitSent(1);
    passFiveMinutes();
    events.warn(new Warning(CLAIM, "R", Set.of(), "m"));
    awaitSent(2);
    assertThat(server.calls()).extracting(Call::method).containsExactly("POST", "PATCH", "POST");
  }

  @Test
  void triesAgainWithoutAnAnswerAndNotWhenRefused() {
    replies.add(dropped());
    replies.add(json(503, "{}"));
    replies.add(json(201, "{}"));
    replies.add(json(403, "{}"));
    events.start();
    events.warn(new Warning(CLAIM, "R", Set.of(), "m"));
    awaitSent(1);
    events.warn(new Warning(CLAIM, "Refused", Set.of(), "m"));
    await().atMost(Duration.ofSeconds(60)).until(() -> droppedCount() == 1);
    assertThat(server.calls()).hasSize(4);
  }

  @Test
  void aWarningThatCannotBeSentAtAllStopsNoOther() {
    try (EventSink brittle = sink(Clock.fixed(Instant.MAX, ZoneOffset.UTC))) {
      brittle.start();
      brittle.warn(new Warning(CLAIM, "R", Set.of("x"), "m"));
      brittle.warn(new Warning(CLAIM, "R", Set.of("y"), "m"));
      await().atMost(Duration.ofSeconds(60)).until(() -> droppedCount() == 2);
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {StackOverflowError.class, NoClassDefFoundError.class})
  void norDoesOneWhoseTextIsAnError(Class<? extends Error> kind) throws Exception {
    Error error = kind.getDeclaredConstructor().newInstance();
    Warning brittle =
        new Warning(
            CLAIM,
            "Brittle",
            Set.of(),
            () -> {
              throw error;
            },
            /* bytes= */ 0,
            EventSink.Type.WARNING);
    events.start();
    events.warn(brittle);
    events.warn(new Warning(CLAIM, "R", Set.of(), "m"));

    awaitSent(1);
    assertThat(droppedCount()).isOne();
  }

  @Test
  void eventsOfClusterScopedObjectsGoToDefault() {
    events.start();
    events.warn(
        new Warning(new Subject("v1", "Node", "", "n".repeat(253), "u"), "R", Set.of(), "m"));
    awaitSent(1);
    assertThat(server.calls().get(0).path()).isEqualTo("/api/v1/namespaces/default/events");
  }

  @Test
  void aFullQueueDropsAndCounts() {
    for (int i = 0; i < 1005; i++) {
      events.warn(new Warning(CLAIM, "R" + i, Set.of(), "m"));
    }
    assertThat(droppedCount()).isEqualTo(5);
  }

  @Test
  void whatNobodyAnsweredIsToldWhenItIsNoticedAgain() {
    for (int i = 0; i < 4; i++) {
      replies.add(json(503, "{}"));
    }
    events.start();
    Warning warning = new Warning(CLAIM, "R", Set.of(), "m");
    events.warn(warning);
    await().atMost(Duration.ofMinutes(2)).until(() -> droppedCount() == 1);

    events.warn(warning);

    awaitSent(1);
  }

  @Test
  void theSameIsToldOnceHoweverOftenItIsNoticed() {
    events.start();
    Warning warning = new Warning(CLAIM, "R", Set.of(), "m");
    events.warn(warning);
    awaitSent(1);
    events.warn(warning);
    events.warn(new Warning(CLAIM, "Other", Set.of(), "m"));
    awaitSent(2);

    assertThat(server.calls()).extracting(Call::method).containsExactly("POST", "POST");
  }

  /** As long as a tenant can make them: together several times the memory there is for them. */
  private void tellLargeOnes() {
    events.start();
    for (int i = 0; i < LARGE_ONES; i++) {
      events.warn(large(i));
      awaitSent(i + 1);
    }
  }

  private static Warning large(int number) {
    return new Warning(CLAIM, "R", Set.of(number + "x".repeat(1_000_000)), "m");
  }

  @Test
  void whatWasToldIsForgottenOnceItTakesMoreThanItsMemory() {
    tellLargeOnes();
    events.warn(large(LARGE_ONES - 1));
    events.warn(large(0));
    awaitSent(LARGE_ONES + 1);

    assertThat(server.calls()).as("the last is remembered").hasSize(LARGE_ONES + 1);
  }

  @Test
  void eventsThatMayBeCountedUpAreForgottenOnceTheyTakeMoreThanTheirMemory() {
    tellLargeOnes();
    passFiveMinutes();
    events.warn(large(LARGE_ONES - 1));
    events.warn(large(0));
    awaitSent(LARGE_ONES + 2);

    assertThat(server.calls().subList(LARGE_ONES, LARGE_ONES + 2))
        .extracting(Call::method)
        .containsExactly("PATCH", "POST");
  }

  @Test
  void nothingIsToldByAStandbyUntilItLeads() {
    leads = false;
    events.start();
    events.warn(new Warning(CLAIM, "R", Set.of(), "m"));
    await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
    assertThat(server.calls()).isEmpty();

    leads = true;

    awaitSent(1);
  }

  private long droppedCount() {
    return metrics.meter("events.dropped").getCount();
  }

  private void awaitSent(long count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> metrics.meter("events.sent").getCount() == count);
  }
}
