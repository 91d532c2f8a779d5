package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.io.Closer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlowClientsTest {

  private static final int SLOW = 1_000;
  private static final int PROBES = 100;
  private static final String BIG = "x".repeat(1 << 18);
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final HttpClient client = HttpClient.newHttpClient();

  private static HttpPort open(int mostClients, String page) throws IOException {
    return HttpPort.open("--some-port", ANY, mostClients)
        .add("/page", query -> PageContent.text(200, page));
  }

  @Test
  void everyProbeIsAnsweredBesideAThousandSlowClientsOfEachPort() throws Exception {
    try (HttpPort probes = open(256, "ok");
        HttpPort metrics = open(64, BIG);
        HttpPort debug = open(8, BIG);
        Closer slow = Closer.create()) {
      for (HttpPort port : List.of(probes, metrics, debug)) {
        slow.register(SlowClients.come(port.port(), SLOW));
      }
      for (int i = 0; i < PROBES; i++) {
        assertThat(probe(probes.port())).as("probe %d", i).isEqualTo("ok\n");
      }
    }
  }

  private String probe(int port) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/page"))
            .timeout(Duration.ofSeconds(60))
            .build();
    return client.send(request, BodyHandlers.ofString()).body();
  }

  @ParameterizedTest
  @EnumSource
  void whoeverIsTooSlowIsClosedEvenWhenNobodyElseComes(SlowClients.Kind kind) throws Exception {
    HttpPort.Limits limits = new HttpPort.Limits(8, Duration.ofMillis(200), Duration.ofMillis(200));
    try (HttpPort port =
            HttpPort.open("--some-port", ANY, limits)
                .add("/page", query -> PageContent.text(200, BIG));
        Socket client = new Socket()) {
      client.setReceiveBufferSize(1024);
      client.connect(new InetSocketAddress(ANY.getAddress(), port.port()));
      client.getOutputStream().write(kind.first());

      await("it is closed")
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> isClosed(client));
    }
  }

  @Test
  void oneTooManyTakesThePlaceOfWhoCameFirst() throws Exception {
    HttpPort.Limits limits = new HttpPort.Limits(2, Duration.ofHours(1), Duration.ofHours(1));
    try (HttpPort port = HttpPort.open("--some-port", ANY, limits);
        Socket first = new Socket(ANY.getAddress(), port.port());
        Socket second = new Socket(ANY.getAddress(), port.port());
        Socket third = new Socket(ANY.getAddress(), port.port())) {
      await("it is closed").atMost(Duration.ofSeconds(30)).until(() -> isClosed(first));

      assertThat(List.of(isClosed(second), isClosed(third))).containsExactly(false, false);
    }
  }

  /** Sending tells: a client that does not read would not see it otherwise. */
  private static boolean isClosed(Socket client) {
    try {
      client.getOutputStream().write('x');
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
