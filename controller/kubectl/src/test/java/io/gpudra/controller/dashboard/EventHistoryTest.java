package io.gpudra.controller.dashboard;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.watch.ListLimit;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tenants write events, any number and of any size. */
class EventHistoryTest {
  private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
  private static final int MANY = 1_000;

  private static String event(int number, String more) {
    return """
    {"metadata":{"namespace":"ns","name":"e%d","uid":"u%d"},
     "involvedObject":{"name":"p"},"reason":"R","message":"m%d %s","lastTimestamp":"%s"}\
    """
        .formatted(
            number, number, number, more, NOW.minus(Duration.ofMinutes(MANY)).plusSeconds(number));
  }

  private static ImmutableList<String> said(int events, String more) throws IOException {
    String list =
        IntStream.range(0, events).mapToObj(i -> event(i, more)).collect(Collectors.joining(","));
    try (ScriptedServer server =
            new ScriptedServer(
                call ->
                    json(
                        200,
                        call.path().endsWith("/events") ? "{\"items\":[" + list + "]}" : "{}"));
        HttpClients http = server.client()) {
      return new EventHistory(new EventReader(http), NOW)
          .of(
              new ExplainResult(
                  ExplainTarget.Kind.POD,
                  "ns",
                  "p",
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty(),
                  ImmutableList.of(),
                  Optional.empty(),
                  Optional.empty(),
                  ImmutableList.of()));
    }
  }

  @Test
  void theNewestEventsAreToldHoweverManyThereAre() throws IOException {
    ImmutableList<String> said = said(MANY, "");

    assertThat(said).hasSize(21);
    assertThat(said.get(1)).contains("R: m980");
    assertThat(said.get(20)).contains("R: m999");
  }

  @Test
  void eventsOfATenantOfAnySizeEndTheListAndThatIsSaid() throws IOException {
    ImmutableList<String> said = said(40, "x".repeat(1 << 19));

    assertThat(said.get(said.size() - 1)).isEqualTo("  of Pod p not all events could be read");
  }

  @Test
  void aMessageIsCutBeforeItIsKept() throws IOException {
    assertThat(said(2, "x".repeat(1 << 19)))
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(4_200));
  }

  @Test
  void listsThatEndTogetherAreNotReadAfterTheirEnd() throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> json(200, "{\"items\":[]}"));
        HttpClients http = server.client()) {
      EventReader reader = new EventReader(http);
      ListLimit over = ListLimit.until(System.nanoTime() - 1, MANY);
      ListLimit open = ListLimit.until(System.nanoTime() + Duration.ofMinutes(1).toNanos(), MANY);

      assertThat(reader.events("ns", "reason=R", over, event -> {})).isFalse();
      assertThat(reader.events("ns", "reason=R", open, event -> {})).isTrue();
    }
  }
}
