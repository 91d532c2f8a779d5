package io.gpudra.simulator.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.EmbeddedApiServer;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.conformance.Client;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What kubectl 1.30 asks for, from a recording. */
class KubectlTest {
  private final EmbeddedApiServer server = EmbeddedApiServer.start(0);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void recordedRequestsAreAnsweredAsTheyWereRecorded() throws IOException {
    Client client = Client.of(server.url());
    int count = 0;
    InputStream recording = KubectlTest.class.getResourceAsStream("kubectl-requests.jsonl");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Objects.requireNonNull(recording), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        replay(client, Json.MAPPER.readTree(line));
        count++;
      }
    }
    assertThat(count).isGreaterThan(50);
  }

  private static void replay(Client client, JsonNode recorded) {
    String what = Json.text(recorded, "method") + " " + Json.text(recorded, "path");
    String accept = Json.text(recorded, "accept");
    Client.Answer answer =
        client.send(
            Json.text(recorded, "method"),
            Json.text(recorded, "path"),
            Json.text(recorded, "contentType"),
            Json.text(recorded, "body"),
            accept.isEmpty() ? "*/*" : accept);
    assertThat(answer.code()).as(what).isEqualTo(recorded.path("code").asInt());
    assertThat(answer.at("kind")).as(what).isEqualTo(Json.text(recorded, "kind"));
  }
}
