package io.gpudra.controller.client.watch;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveObjectsTest {
  private static final int WRITERS = 64;

  private final CountDownLatch answered = new CountDownLatch(WRITERS);
  private final AtomicInteger reading = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private Reply answer() {
    return exchange -> {
      json(200, "{\"metadata\":{\"uid\":\"u\"}}").to(exchange);
      answered.countDown();
    };
  }

  /** Ends once all have their answers, so that as many as may be are in memory at once. */
  private String keep() {
    most.accumulateAndGet(reading.incrementAndGet(), Math::max);
    try {
      assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      reading.decrementAndGet();
    }
    return "kept";
  }

  @Test
  void ofManyAnswersFewAreReadAtOnce() throws Exception {
    try (ScriptedServer server = new ScriptedServer(call -> answer());
        HttpClients http = server.client()) {
      LiveObjects<V1ConfigMap, String> live = new LiveObjects<>(http, kind(), bad -> {});
      Callable<String> read = () -> read(http, live);
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
      try {
        List<Callable<String>> all = IntStream.range(0, WRITERS).mapToObj(i -> read).toList();
        for (Future<String> one : threads.invokeAll(all)) {
          assertThat(one.get()).isEqualTo("kept");
        }
      } finally {
        threads.shutdownNow();
      }
    }
    assertThat(most).hasValueLessThanOrEqualTo(LiveObjects.AT_ONCE);
  }

  @Test
  void aServerThatFallsSilentEndsAListAtItsTime() throws Exception {
    BlockingQueue<String> silent = new LinkedBlockingQueue<>();
    silent.add("{\"items\":[");
    ListLimit limit = new ListLimit(Duration.ofSeconds(2), 1 << 20, System::nanoTime);
    long begun = System.nanoTime();
    try (ScriptedServer server = new ScriptedServer(call -> ScriptedServer.lines(silent));
        HttpClients http = server.client()) {
      assertThatThrownBy(() -> new LiveObjects<>(http, kind(), bad -> {}).list(unused -> {}, limit))
          .isInstanceOf(TooSlowException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
      silent.add(ScriptedServer.END);
    }
  }

  private WatchedKind<V1ConfigMap, String> kind() {
    return new WatchedKind<>(
        "/api/v1/configmaps",
        "v1",
        "ConfigMap",
        FieldFilter.of("data"),
        V1ConfigMap.class,
        object -> keep());
  }

  private static String read(HttpClients http, LiveObjects<V1ConfigMap, String> live)
      throws IOException {
    return live.get(new CoreV1Api(http.api()).readNamespacedConfigMap("c", "ns")::buildCall)
        .orElseThrow()
        .value();
  }
}
