package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.client.election.ElectionTiming;
import io.gpudra.controller.loop.ControllerDelays;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The connection to an API server goes dead without a word while a new one would work. Over HTTP/2
 * all calls share it, and a call that is given up leaves it in the pool.
 */
class BlackHoleTest {
  private static final ElectionTiming INSTALLED =
      new ElectionTiming(
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          ControllerDelays.API_CALL);

  /** Shorter than installed: two calls are over before the pings notice anything. */
  private static final Duration CALL = Duration.ofSeconds(3);

  private static final Duration AT_MOST = Duration.ofMinutes(2);

  private static final String WATCH = "/watch";

  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final MockWebServer server = new MockWebServer();
  private BlackHole way;
  private HttpClients http;

  @BeforeEach
  void start() throws IOException {
    HeldCertificate own = new HeldCertificate.Builder().build();
    server.useHttps(
        new HandshakeCertificates.Builder().heldCertificate(own).build().sslSocketFactory(), false);
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
            if (String.valueOf(request.getPath()).startsWith(WATCH)) {
              ended.await();
            }
            return new MockResponse().setBody("{}");
          }
        });
    server.start();
    way = new BlackHole(server.getPort());
    http = HttpClients.plain("https://127.0.0.1:" + way.port(), CALL, new MetricRegistry());
  }

  @AfterEach
  void stop() throws IOException {
    ended.countDown();
    http.close();
    way.close();
    server.close();
    threads.shutdownNow();
  }

  /** Nothing comes of it for as long as the test lasts. */
  private Future<Integer> watch() {
    CompletableFuture<Integer> end =
        CompletableFuture.supplyAsync(
            () -> {
              OkHttpClient patient = http.streams(Duration.ofHours(1));
              try (Response response = patient.newCall(http.get(WATCH, Map.of())).execute()) {
                return response.code();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            threads);
    await().atMost(AT_MOST).until(() -> server.getRequestCount() == 1);
    return end;
  }

  private String answer() {
    try {
      return http.calls().get("/version").body();
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void afterOneLostCallTheNextOneOfALeaseTakesAnotherConnection() {
    Future<Integer> unused = watch();
    assertThat(answer()).isEqualTo("{}");
    assertThat(way.connections()).as("HTTP/2, so that all share one").isEqualTo(1);

    way.swallow();
    assertThat(answer()).as("a call on the dead connection").contains("Exception");

    await().pollDelay(INSTALLED.retry()).atMost(AT_MOST).until(() -> true);
    assertThat(answer()).as("the next renewal").isEqualTo("{}");
    assertThat(way.connections()).isEqualTo(2);
  }

  @Test
  void aWatchEndsLongBeforeItsSilenceIsTooLong() {
    Future<Integer> watch = watch();
    way.swallow();

    assertThat(watch)
        .failsWithin(AT_MOST)
        .withThrowableOfType(ExecutionException.class)
        .havingRootCause()
        .isInstanceOf(IOException.class);
    assertThat(Duration.ofMillis(2L * http.streams(Duration.ofHours(1)).pingIntervalMillis()))
        .as("an answer to a ping is missed when the next ping is due")
        .isLessThanOrEqualTo(INSTALLED.renewDeadline());
  }
}
