package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.doctor.ObjectPages.TooManyException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of objects of any size. */
class ObjectPagesTest {
  private static final long MAX_OBJECT = 64 << 10;
  private static final String SMALL = "{\"metadata\": {\"name\": \"small\"}}";

  private final MockWebServer server = new MockWebServer();
  private final List<JsonNode> seen = new ArrayList<>();
  private final List<String> tooLarge = new ArrayList<>();
  private HttpClients http;

  @BeforeEach
  void start() throws IOException {
    server.start();
    http =
        HttpClients.plain(
            "http://localhost:" + server.getPort(), Duration.ofSeconds(30), new MetricRegistry());
  }

  @AfterEach
  void stop() throws IOException {
    http.close();
    server.close();
  }

  private void answers(String next, String... objects) {
    server.enqueue(
        new MockResponse()
            .setBody(
                "{\"kind\": \"List\", \"metadata\": {\"continue\": \"%s\"}, \"items\": [%s]}"
                    .formatted(next, String.join(", ", objects))));
  }

  private void list(long maxKept) throws IOException {
    assertThat(
            new ObjectPages(http.calls(), MAX_OBJECT, maxKept)
                .list("/x", seen::add, tooLarge::add)
                .ok())
        .isTrue();
  }

  private static String object(String name, String rest) {
    return "{\"metadata\": {\"name\": \"%s\", \"namespace\": \"n\"}, %s}".formatted(name, rest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"a\": \"TEXT\"", "\"a\": [LIST]", "\"FIELDS\": 1"})
  void anObjectThatIsTooLargeIsNamedAndTheOthersAreRead(String rest) throws IOException {
    String large =
        rest.replace("TEXT", "x".repeat(40_000))
            .replace("LIST", "{}, ".repeat(1_000) + "{}")
            .replace("FIELDS", "x".repeat(60_000));
    answers("", SMALL, object("large", large), SMALL);

    list(Long.MAX_VALUE);

    assertThat(seen).extracting(JsonNode::toString).containsExactly(named(), named());
    assertThat(tooLarge).containsExactly("n/large");
  }

  private static String named() {
    return SMALL.replace(" ", "");
  }

  @Test
  void anObjectOfManyLevelsIsTooLarge() throws IOException {
    String deep = "[".repeat(50_000) + "]".repeat(50_000);
    answers("", SMALL, object("deep", "\"a\": " + deep), SMALL);

    assertThat(new ObjectPages(http.calls()).list("/x", seen::add, tooLarge::add).ok()).isTrue();

    assertThat(seen).hasSize(2);
    assertThat(tooLarge).containsExactly("n/deep");
  }

  @Test
  void managedFieldsAreNoPartOfAnObject() throws IOException {
    String deep = "{\"f:x\": ".repeat(5_000) + "1" + "}".repeat(5_000);
    answers("", "{\"metadata\": {\"name\": \"small\", \"managedFields\": [%s]}}".formatted(deep));

    list(Long.MAX_VALUE);

    assertThat(seen).extracting(JsonNode::toString).containsExactly(named());
  }

  @Test
  void allThatStayHaveALimitTogether() {
    answers("more", SMALL, SMALL);
    answers("", SMALL, object("last", "\"a\": \"%s\"".formatted("x".repeat(20_000))));

    assertThatThrownBy(() -> list(40 << 10))
        .isInstanceOf(TooManyException.class)
        .hasMessage("n/last: the objects up to this one take more than 0 MiB of memory");
    assertThat(seen).hasSize(4);
  }

  @Test
  void whatDoesNotStayCountsNothing() throws IOException {
    answers("", SMALL, SMALL, SMALL);

    assertThat(
            new ObjectPages(http.calls(), MAX_OBJECT, 0)
                .list("/x", unused -> false, tooLarge::add)
                .ok())
        .isTrue();
  }
}
