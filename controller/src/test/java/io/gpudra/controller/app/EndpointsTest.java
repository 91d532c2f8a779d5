package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.app.Health.Vitals;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.Running;
import io.gpudra.process.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndpointsTest {

  private static final Vitals WELL =
      new Vitals(true, false, true, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of());

  private final AtomicReference<Vitals> vitals = new AtomicReference<>(WELL);
  private final HttpClient client = HttpClient.newHttpClient();
  private Endpoints endpoints;

  @BeforeEach
  void start() throws IOException {
    endpoints =
        Endpoints.serve(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new Health(vitals::get),
            query -> new Answer(200, "text/plain; version=0.0.4", "up 1\n"),
            query -> query + "\n");
  }

  @AfterEach
  void stop() {
    endpoints.close();
  }

  private HttpResponse<String> call(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + endpoints.port() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  private void assertAnswer(String path, int code, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = call("GET", path);
    assertThat(answer.statusCode()).isEqualTo(code);
    assertThat(answer.body()).isEqualTo(body);
  }

  @Test
  void aHealthyProcessSaysSo() throws IOException, InterruptedException {
    assertAnswer("/healthz", 200, "ok\n");
    assertAnswer("/readyz", 200, "ok\n");
    assertAnswer("/metrics", 200, "up 1\n");
  }

  @Test
  void startingAndStoppingAreAliveButNotReady() throws IOException, InterruptedException {
    vitals.set(
        new Vitals(false, false, false, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of()));
    assertAnswer("/healthz", 200, "ok\n");
    assertAnswer("/readyz", 503, "caches are not filled yet\n");

    vitals.set(
        new Vitals(true, true, false, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of()));
    assertAnswer("/healthz", 200, "ok\n");
    assertAnswer("/readyz", 503, "stopping\n");
  }

  @Test
  void aWatchThatIsRefusedIsAliveButNotReady() throws IOException, InterruptedException {
    ImmutableList<String> refusals = ImmutableList.of("HTTP 403 for the watch of nodes");
    vitals.set(new Vitals(true, false, true, ImmutableMap.of(), ImmutableMap.of(), refusals));
    assertAnswer("/healthz", 200, "ok\n");
    assertAnswer("/readyz", 503, "HTTP 403 for the watch of nodes\n");
  }

  @Test
  void whatOnlyARestartMendsIsNotAlive() throws IOException, InterruptedException {
    vitals.set(
        new Vitals(
            true,
            false,
            false,
            ImmutableMap.of(
                "claims",
                new Running(new ObjectKey("ns", "in-time"), Health.LONGEST_WORK),
                "contexts",
                new Running(new ObjectKey("ns", "pod"), Health.LONGEST_WORK.plusSeconds(1))),
            ImmutableMap.of(
                "nodes",
                Health.LONGEST_SILENCE,
                "resourceclaims",
                Health.LONGEST_SILENCE.plus(Duration.ofMinutes(1))),
            ImmutableList.of()));

    assertAnswer(
        "/healthz",
        503,
        """
        the election's thread has ended
        a worker of contexts has been busy with ns/pod for 121 s
        the watch of resourceclaims has been silent for 960 s
        """);
  }

  @Test
  void theLedgerIsAskedForWithAQuery() throws IOException, InterruptedException {
    assertAnswer("/debug/ledger", 200, "{}\n");
    assertAnswer(
        "/debug/ledger?node=worker-1&after=a%3Db&after=c&x", 200, "{node=worker-1, after=c, x=}\n");
  }

  @Test
  void nothingElseIsServed() throws IOException, InterruptedException {
    assertThat(call("GET", "/").statusCode()).isEqualTo(404);
  }
}
