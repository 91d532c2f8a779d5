package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

class CallTimerTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private final MetricRegistry metrics = new MetricRegistry();

  private static ScriptedServer.Reply answer(ScriptedServer.Call call) {
    return call.path().equals("/broken")
        ? ScriptedServer.dropped()
        : ScriptedServer.json(200, "{}");
  }

  private long timed(String method) {
    Timer timer = metrics.getTimers().get("api.time." + method);
    return timer == null ? 0 : timer.getCount();
  }

  @Test
  void everyUnaryCallIsTimedAndNoStreamIs() throws Exception {
    try (ScriptedServer server = new ScriptedServer(CallTimerTest::answer);
        HttpClients http = server.client(LIMIT, metrics)) {
      assertThat(http.calls().get("/version").code()).isEqualTo(200);
      assertThat(timed("GET")).isEqualTo(1);

      assertThatThrownBy(() -> http.calls().get("/broken")).isInstanceOf(IOException.class);
      assertThat(timed("GET")).isEqualTo(2);

      try (Response watch =
          http.streams(LIMIT).newCall(http.get("/watch", Map.of("watch", "1"))).execute()) {
        assertThat(watch.code()).isEqualTo(200);
      }
      assertThat(timed("GET")).isEqualTo(2);
      assertThat(metrics.counter("api.calls.GET.200").getCount()).isEqualTo(2);
    }
  }
}
