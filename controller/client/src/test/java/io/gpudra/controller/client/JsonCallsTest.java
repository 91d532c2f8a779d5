package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonCallsTest {
  private static final String MEBIBYTE = "x".repeat(1 << 20);

  private static Answer written(int code) throws IOException {
    try (ScriptedServer server = new ScriptedServer(call -> ScriptedServer.json(code, MEBIBYTE));
        HttpClients http = server.client(Duration.ofSeconds(10), new MetricRegistry())) {
      return http.calls().write("PATCH", "/object", Map.of(), Form.APPLY, "{}");
    }
  }

  @Test
  void whatIsStoredAfterAWriteIsNotKept() throws IOException {
    assertThat(written(200)).isEqualTo(new Answer(200, ""));
  }

  @Test
  void ofALongRefusalTheBeginningIsKept() throws IOException {
    assertThat(written(422)).isEqualTo(new Answer(422, MEBIBYTE.substring(0, 64 << 10)));
  }

  @Test
  void ofALongRefusalALineIsLogged() throws IOException {
    assertThat(written(422)).asString().startsWith("422 xxx").endsWith("x…").hasSize(4 + 512);
  }
}
