package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.controller.kube.testing.Cluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that serves the page. */
class DashboardCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(Path kubeconfig, String... options) {
    return GpudraCommand.command()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(
            Stream.concat(Stream.of("dashboard", "--kubeconfig=" + kubeconfig), Stream.of(options))
                .toArray(String[]::new));
  }

  @Test
  void itPrintsAnAddressThatShowsThePageUntilItIsEnded(@TempDir Path directory) throws Exception {
    try (Cluster cluster = new Cluster()) {
      Path kubeconfig = cluster.kubeconfig(directory);
      Thread command = new Thread(() -> execute(kubeconfig));
      command.start();
      await("the address")
          .atMost(Duration.ofSeconds(60))
          .until(() -> out.toString().contains("\n"));
      String address = out.toString().lines().findFirst().orElseThrow();

      HttpResponse<String> page =
          HttpClient.newBuilder()
              .cookieHandler(new CookieManager())
              .followRedirects(Redirect.NORMAL)
              .build()
              .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<!doctype html>");
      assertThat(page.uri().getQuery()).isNull();
      command.interrupt();
      command.join();
    }
  }

  @Test
  void whatItCannotShowIsSaid(@TempDir Path directory) throws IOException {
    assertThat(execute(directory.resolve("none"))).isEqualTo(2);
    assertThat(execute(directory.resolve("none"), "--port=70000")).isEqualTo(2);

    assertThat(err.toString())
        .contains("cannot serve the page", "'70000' is not between 0 and 65535");
    assertThat(out.toString()).isEmpty();
  }
}
