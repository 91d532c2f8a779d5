package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpPortTest {

  private final HttpClient client = HttpClient.newHttpClient();
  private HttpPort port;

  @BeforeEach
  void open() throws IOException {
    port =
        HttpPort.open("--some-port", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8)
            .add("/well", query -> PageContent.health(ImmutableList.of()))
            .add("/ill", query -> PageContent.health(ImmutableList.of("one", "two")))
            .add("/query", query -> PageContent.json(query.toString()))
            .add(
                "/broken",
                query -> {
                  throw new IllegalStateException("a defect");
                });
  }

  @AfterEach
  void close() {
    port.close();
  }

  private HttpResponse<String> call(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port.port() + path);
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
  void aProbeReadsAllThatIsWrong() throws IOException, InterruptedException {
    assertAnswer("/well", 200, "ok\n");
    assertAnswer("/ill", 503, "one\ntwo\n");
  }

  @Test
  void aPageIsAskedWithAQuery() throws IOException, InterruptedException {
    assertAnswer("/query", 200, "{}");
    assertAnswer("/query?node=worker-1&after=a%3Db&after=c&x", 200, "{node=worker-1, after=c, x=}");
    assertThat(call("GET", "/query").headers().firstValue("Content-Type"))
        .contains("application/json");
  }

  @Test
  void aDefectOfAPageIsAnAnswerToo() throws IOException, InterruptedException {
    assertAnswer("/broken", 500, "failed, see the log\n");
  }

  @Test
  void nothingElseIsServed() throws IOException, InterruptedException {
    assertAnswer("/", 404, "there is /broken, /ill, /query, /well\n");
    assertThat(call("GET", "/well/deeper").statusCode()).isEqualTo(404);
    assertThat(call("POST", "/well").statusCode()).isEqualTo(405);
  }

  @Test
  void aPortThatIsTakenIsNamedWithItsOption() {
    InetSocketAddress taken = new InetSocketAddress(InetAddress.getLoopbackAddress(), port.port());

    assertThatThrownBy(() -> HttpPort.open("--some-port", taken, 8))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot listen on --some-port " + port.port() + ": ");
  }
}
