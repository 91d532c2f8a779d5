package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The HTTP ports of a process under test. */
record Endpoint(int probePort, int metricsPort) {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  /** A probe takes a millisecond of CPU time from the measured process. */
  private static final long PAUSE_MILLIS = 100;

  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(CALL_LIMIT).build();

  /** Free ports. */
  static Endpoint free() throws IOException {
    try (ServerSocket one = new ServerSocket(0);
        ServerSocket other = new ServerSocket(0)) {
      return new Endpoint(one.getLocalPort(), other.getLocalPort());
    }
  }

  /** Port options of the process. */
  ImmutableList<String> options() {
    return ImmutableList.of("--probe-port=" + probePort, "--metrics-port=" + metricsPort);
  }

  /** All options of a controller. */
  ImmutableList<String> controller(Path kubeconfig) {
    return ImmutableList.<String>builder()
        .add("--namespace=default", "--kubeconfig=" + kubeconfig, "--debug-port=0")
        .addAll(options())
        .build();
  }

  /** Waits until a probe returns 200. */
  void await(String path, Subprocess process) throws IOException, InterruptedException {
    await(() -> answers(path), path, process);
  }

  /** Waits until the condition holds, as long as the process lives. */
  static void await(Condition condition, String what, Subprocess process)
      throws IOException, InterruptedException {
    await(() -> condition.holds() || fails(process), what);
  }

  private static boolean fails(Subprocess process) throws IOException {
    process.mustLive();
    return false;
  }

  /** Waits until the condition holds. */
  static void await(Condition condition, String what) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("waited in vain for " + what);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private boolean answers(String path) throws InterruptedException {
    try {
      return HTTP.send(request(probePort, path), BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** The metrics page. */
  String metrics() throws IOException, InterruptedException {
    return HTTP.send(request(metricsPort, "/metrics"), BodyHandlers.ofString()).body();
  }

  /** Number of reconciliations of a controller's loop. */
  double looks(String loop) throws IOException, InterruptedException {
    Thread.sleep(200);
    return Pattern.compile("gpudra_loop_latency_seconds_count\\{loop=\"" + loop + "\"} (.*)")
        .matcher(metrics())
        .results()
        .map((MatchResult found) -> Double.parseDouble(found.group(1)))
        .findFirst()
        .orElse(0.0);
  }

  private static HttpRequest request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
        .timeout(CALL_LIMIT)
        .build();
  }

  /** A condition to wait for. */
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }
}
