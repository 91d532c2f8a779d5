package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmDiagnosticsTest {

  private static final ImmutableMap<String, String> ONE_SECOND = ImmutableMap.of("seconds", "1");
  private static final String SECRET = "a-token-that-nobody-reads";

  private final HttpClient client = HttpClient.newHttpClient();
  private HttpPort port;

  @BeforeEach
  void open() throws IOException {
    System.setProperty("gpudra.test.secret", SECRET);
    port = JvmDiagnostics.addTo(HttpPort.openLocal("--debug-port", 0, 8));
  }

  @AfterEach
  void close() {
    port.close();
    System.clearProperty("gpudra.test.secret");
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path));
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).build(), BodyHandlers.ofString());
  }

  @Test
  void threadsAndClassesAreListed() throws IOException, InterruptedException {
    assertThat(get("/debug/threads").body())
        .contains("JvmDiagnosticsTest.threadsAndClassesAreListed");
    assertThat(get("/debug/classes").body()).contains("java.lang.String").doesNotContain(SECRET);
  }

  @Test
  void aRecordingHoldsWhatIsListedAndNeitherEnvironmentNorPropertiesNorArguments(
      @TempDir Path directory) throws IOException, InterruptedException {
    HttpResponse<Path> answer =
        client.send(
            request("/debug/recording?seconds=3").build(),
            BodyHandlers.ofFile(directory.resolve("recording.jfr")));

    assertThat(answer.statusCode()).isEqualTo(200);
    Set<String> events =
        RecordingFile.readAllEvents(answer.body()).stream()
            .map(RecordedEvent::getEventType)
            .map(type -> type.getName())
            .collect(Collectors.toSet());
    assertThat(events).contains("jdk.CPULoad").isSubsetOf(RecordingPage.EVENTS);
    assertThat(Files.readString(answer.body(), StandardCharsets.ISO_8859_1))
        .doesNotContain(SECRET, System.getenv("PATH"), System.getProperty("java.class.path"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?seconds=0", "?seconds=61", "?seconds=1m", "?seconds=1&seconds="})
  void howLongARecordingMayTakeIsSaid(String query) throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/debug/recording" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo("seconds: a number from 1 to 60 is needed\n");
  }

  @Test
  void anUnknownParameterIsNamed() throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/debug/recording?seconds=1&events=all");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo("unknown parameter \"events\": there is seconds\n");
    assertThat(get("/debug/threads?all").body())
        .isEqualTo("unknown parameter \"all\": there is none\n");
  }

  @Test
  void thereIsOneRecordingAtATimeUntilItIsFetched() {
    RecordingPage page = new RecordingPage();
    PageContent first = page.answer(ONE_SECOND);
    assertThat(first).isInstanceOf(PageContent.Download.class);

    assertThat(page.answer(ONE_SECOND))
        .isEqualTo(
            PageContent.text(429, "one recording at a time: another is being made or fetched"));

    ((PageContent.Download) first).file().release();
    PageContent next = page.answer(ONE_SECOND);
    assertThat(next).isInstanceOf(PageContent.Download.class);
    ((PageContent.Download) next).file().release();
  }

  @Test
  void aClientThatLeavesKeepsNobodyFromRecording() throws Exception {
    try (Socket leaving = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
      leaving
          .getOutputStream()
          .write(
              "GET /debug/recording?seconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      await("it is recorded").until(() -> get("/debug/recording?seconds=1").statusCode() == 429);
    }

    await("another is recorded")
        .atMost(Duration.ofSeconds(30))
        .until(() -> get("/debug/recording?seconds=1").statusCode() == 200);
  }

  @Test
  void whatBecameTooLargeIsNotSent() {
    RecordingPage page = new RecordingPage(1_000);

    for (int i = 0; i < 2; i++) {
      assertThat(page.answer(ONE_SECOND))
          .isInstanceOfSatisfying(
              PageContent.Text.class,
              answer -> {
                assertThat(answer.status()).isEqualTo(500);
                assertThat(answer.text()).contains("bytes, more than 1,000: ask for fewer seconds");
              });
    }
  }

  @Test
  void aPageOfTheWebMakesTheProcessDoNothing() throws IOException, InterruptedException {
    HttpRequest request = request("/debug/classes").header("Sec-Fetch-Site", "cross-site").build();

    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
    assertThat(get("/debug/classes").statusCode()).isEqualTo(200);
  }
}
