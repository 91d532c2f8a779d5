package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;

/** {@code kubectl gpudra dashboard}, looked at as a browser does. */
final class DashboardVisit implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String DATA = "data:";

  private final Process dashboard;
  private final URI address;
  private final HttpClient http =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  private DashboardVisit(Process dashboard, URI address) {
    this.dashboard = dashboard;
    this.address = address;
  }

  /** Starts it and goes to the address that it prints. */
  static DashboardVisit start(Commands gpudra, ImmutableList<String> options)
      throws IOException, InterruptedException {
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .addAll(gpudra.program())
            .add("dashboard")
            .addAll(options)
            .build();
    Process dashboard = new ProcessBuilder(command).redirectErrorStream(true).start();
    BufferedReader said = dashboard.inputReader(StandardCharsets.UTF_8);
    DashboardVisit visit = new DashboardVisit(dashboard, URI.create("" + said.readLine()));
    assertThat(visit.get(visit.address)).contains("<title>");
    return visit;
  }

  private String get(URI uri) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  /** The words that a click on the pod shows. */
  String explain(String namespace, String pod) throws IOException, InterruptedException {
    return get(address.resolve("/explain?kind=pod&namespace=%s&name=%s".formatted(namespace, pod)));
  }

  /** What is told first when the cluster has been read. */
  JsonNode firstPicture() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(address.resolve("/events")).build();
    try (Stream<String> lines = http.send(request, BodyHandlers.ofLines()).body()) {
      Iterator<String> data = lines.filter(line -> line.startsWith(DATA)).iterator();
      while (data.hasNext()) {
        JsonNode told = JSON.readTree(data.next().substring(DATA.length()));
        if (told.has("about")) {
          return told;
        }
      }
    }
    throw new IOException("the stream of events ended");
  }

  @Override
  public void close() {
    dashboard.destroy();
  }
}
