package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The authority of a cluster is replaced while its clients run. */
class ReplacedAuthorityTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path directory = Path.of("");

  private static HeldCertificate authority() {
    return new HeldCertificate.Builder().certificateAuthority(0).build();
  }

  /** With a certificate of the authority, which the file has from now on. */
  private MockWebServer server(HeldCertificate authority, int port) throws IOException {
    Files.writeString(directory.resolve("ca.crt"), authority.certificatePem());
    HeldCertificate own =
        new HeldCertificate.Builder()
            .signedBy(authority)
            .addSubjectAlternativeName("127.0.0.1")
            .build();
    MockWebServer server = new MockWebServer();
    server.useHttps(
        new HandshakeCertificates.Builder().heldCertificate(own).build().sslSocketFactory(), false);
    server.enqueue(new MockResponse().setBody("{}"));
    server.start(InetAddress.getLoopbackAddress(), port);
    return server;
  }

  @Test
  void whoReadItFromAFileGoesOn() throws IOException {
    MockWebServer former = server(authority(), 0);
    Path config =
        Files.writeString(
            directory.resolve("config"),
            """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts: [{name: c, context: {cluster: k, user: u}}]
            clusters: [{name: k, cluster: {server: "https://127.0.0.1:%d", certificate-authority: ca.crt}}]
            users: [{name: u, user: {token: t}}]
            """
                .formatted(former.getPort()));
    try (HttpClients http = HttpClients.connect(Optional.of(config), LIMIT, new MetricRegistry())) {
      assertThat(http.calls().get("/version").ok()).isTrue();
      former.close();

      try (MockWebServer later = server(authority(), former.getPort())) {
        assertThat(http.calls().get("/version").ok()).isTrue();
        assertThat(later.getRequestCount()).isEqualTo(1);
      }
    }
  }
}
