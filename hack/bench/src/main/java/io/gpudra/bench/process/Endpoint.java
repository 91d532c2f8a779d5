package io.gpudra.bench.process;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The HTTP port of a process under test. */
record Endpoint(int port) {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 10;
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(CALL_LIMIT).build();

  /** One that nobody has. */
  static Endpoint free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return new Endpoint(socket.getLocalPort());
    }
  }

  /** Waits until a path answers 200. */
  void await(String path, Subprocess process) throws IOException, InterruptedException {
    await(() -> answers(path), path, process);
  }

  /** Waits until something is so. */
  static void await(Condition condition, String what, Subprocess process)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      process.mustLive();
      if (System.nanoTime() - end > 0) {
        throw new IOException("waited in vain for " + what);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private boolean answers(String path) throws InterruptedException {
    try {
      return HTTP.send(request(path), BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** The text of a page. */
  String text(String path) throws IOException, InterruptedException {
    return HTTP.send(request(path), BodyHandlers.ofString()).body();
  }

  private HttpRequest request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
        .timeout(CALL_LIMIT)
        .build();
  }

  /** Something to wait for. */
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }
}
