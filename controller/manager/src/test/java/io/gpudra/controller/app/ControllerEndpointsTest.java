package io.gpudra.controller.app;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Closer;
import io.gpudra.controller.app.ControllerHealth.ProcessState;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.KeyInProgress;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.process.HttpPort;
import io.gpudra.process.PageContent;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ControllerEndpointsTest {

  private static final ProcessState WELL =
      new ProcessState(true, false, true, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of());

  private final AtomicReference<ProcessState> vitals = new AtomicReference<>(WELL);
  private ControllerEndpoints endpoints;

  @BeforeEach
  void open() throws IOException {
    ControllerOptions options = new ControllerOptions();
    new CommandLine(options).parseArgs("--probe-port=0", "--metrics-port=0", "--debug-port=0");
    endpoints =
        ControllerEndpoints.open(
            options,
            new ControllerHealth(vitals::get),
            query -> new PageContent.Text(200, "text/plain; version=0.0.4", "up 1\n"),
            new LedgerPage(() -> true, ImmutableList::of, ImmutableList::of));
  }

  @AfterEach
  void stop() {
    endpoints.close();
  }

  private static HttpResponse<String> get(String host, HttpPort port, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://" + host + ":" + port.port() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private void assertProbe(String path, int code, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = get("127.0.0.1", endpoints.probes(), path);
    assertThat(answer.statusCode()).isEqualTo(code);
    assertThat(answer.body()).isEqualTo(body);
  }

  @Test
  void aHealthyProcessSaysSo() throws IOException, InterruptedException {
    assertProbe("/healthz", 200, "ok\n");
    assertProbe("/readyz", 200, "ok\n");
    assertThat(get("127.0.0.1", endpoints.metrics(), "/metrics").body()).isEqualTo("up 1\n");
  }

  @Test
  void startingAndStoppingAreAliveButNotReady() throws IOException, InterruptedException {
    vitals.set(
        new ProcessState(
            false, false, false, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of()));
    assertProbe("/healthz", 200, "ok\n");
    assertProbe("/readyz", 503, "caches are not filled yet\n");

    vitals.set(
        new ProcessState(
            true, true, false, ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of()));
    assertProbe("/healthz", 200, "ok\n");
    assertProbe("/readyz", 503, "stopping\n");
  }

  @Test
  void aWatchThatIsRefusedIsAliveButNotReady() throws IOException, InterruptedException {
    ImmutableList<String> refusals = ImmutableList.of("HTTP 403 for the watch of nodes");
    vitals.set(new ProcessState(true, false, true, ImmutableMap.of(), ImmutableMap.of(), refusals));
    assertProbe("/healthz", 200, "ok\n");
    assertProbe("/readyz", 503, "HTTP 403 for the watch of nodes\n");
  }

  @Test
  void whatOnlyARestartMendsIsNotAlive() throws IOException, InterruptedException {
    vitals.set(
        new ProcessState(
            true,
            false,
            false,
            ImmutableMap.of(
                "claims",
                new KeyInProgress(new ObjectKey("ns", "in-time"), ControllerDelays.MAX_WORK),
                "contexts",
                new KeyInProgress(
                    new ObjectKey("ns", "pod"), ControllerDelays.MAX_WORK.plusSeconds(1))),
            ImmutableMap.of(
                "nodes",
                ControllerDelays.MAX_SILENCE,
                "resourceclaims",
                ControllerDelays.MAX_SILENCE.plus(Duration.ofMinutes(1))),
            ImmutableList.of()));

    assertProbe(
        "/healthz",
        503,
        """
        the election's thread has ended
        a worker of contexts has been busy with ns/pod for 121 s
        the watch of resourceclaims has been silent for 960 s
        """);
  }

  /** Everything below 127 is this machine, but only to those who listen to all addresses. */
  @Test
  void theLedgerListensOnTheLoopbackAddressOnly() throws IOException, InterruptedException {
    assertThat(get("127.0.0.1", endpoints.debug(), "/debug/ledger").body())
        .contains("\"leading\" : true");
    assertThat(get("127.0.0.2", endpoints.metrics(), "/metrics").statusCode()).isEqualTo(200);
    assertThatThrownBy(() -> get("127.0.0.2", endpoints.debug(), "/debug/ledger"))
        .isInstanceOf(ConnectException.class);
  }

  /** Java's own client lets nobody choose the header. */
  private static String getAs(String host, HttpPort port, String path) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
      client
          .getOutputStream()
          .write("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(path, host).getBytes(US_ASCII));
      return new String(client.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  @Test
  void aWebPageWhoseNameWasPointedHereReadsNoLedger() throws IOException {
    assertThat(getAs("localhost:8082", endpoints.debug(), "/debug/ledger"))
        .contains("\"leading\" : true");

    assertThat(getAs("rebound.evil.example:8082", endpoints.debug(), "/debug/ledger"))
        .startsWith("HTTP/1.1 403 ")
        .doesNotContain("leading");
    assertThat(getAs("10.0.0.7:8080", endpoints.metrics(), "/metrics")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void noPortServesThePagesOfAnother() throws IOException, InterruptedException {
    assertProbe("/debug/ledger", 404, "there is /healthz, /readyz\n");
    assertProbe("/metrics", 404, "there is /healthz, /readyz\n");
    assertThat(get("127.0.0.1", endpoints.metrics(), "/debug/ledger").statusCode()).isEqualTo(404);
    assertThat(get("127.0.0.1", endpoints.metrics(), "/healthz").statusCode()).isEqualTo(404);
  }

  @Test
  void probesAreAnsweredBesideThreeHundredClientsOfEachPortThatSendAByte() throws Exception {
    try (Closer slow = Closer.create()) {
      for (int i = 0; i < 300; i++) {
        slow.register(sendingAByte(endpoints.probes()));
        slow.register(sendingAByte(endpoints.metrics()));
        slow.register(sendingAByte(endpoints.debug()));
      }

      assertProbe("/healthz", 200, "ok\n");
    }
  }

  private static Socket sendingAByte(HttpPort port) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port.port());
    client.getOutputStream().write('G');
    return client;
  }
}
