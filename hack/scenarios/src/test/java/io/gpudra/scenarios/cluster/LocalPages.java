package io.gpudra.scenarios.cluster;

import io.gpudra.scenarios.process.Child;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** Pages of processes on this machine. */
final class LocalPages {
  private static final Pattern METRICS_PORT = Pattern.compile("metricsPort=(\\d+)");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private LocalPages() {}

  static String metrics(Child child) throws IOException, InterruptedException {
    return get(metricsPort(child), "/metrics");
  }

  static String metricsPort(Child child) throws IOException {
    return child.said(METRICS_PORT).orElseThrow();
  }

  static String get(String port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }
}
