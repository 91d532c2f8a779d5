package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.SocketPolicy;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The authority of a cluster is replaced while its clients run. */
class ReplacedAuthorityTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path directory = Path.of("");

  /** A server's side, with a certificate that can be replaced. */
  private static final class Sockets extends SSLSocketFactory {
    private volatile SSLSocketFactory now;

    Sockets(SSLSocketFactory first) {
      this.now = first;
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean close)
        throws IOException {
      return now.createSocket(socket, host, port, close);
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return now.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return now.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new AssertionError("a server calls nobody");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
      throw new AssertionError("a server calls nobody");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new AssertionError("a server calls nobody");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
      throw new AssertionError("a server calls nobody");
    }
  }

  /** With a certificate of an authority of its own, which the file has from now on. */
  private SSLSocketFactory replaced() throws IOException {
    HeldCertificate authority = new HeldCertificate.Builder().certificateAuthority(0).build();
    Files.writeString(directory.resolve("ca.crt"), authority.certificatePem());
    HeldCertificate own =
        new HeldCertificate.Builder()
            .signedBy(authority)
            .addSubjectAlternativeName("127.0.0.1")
            .build();
    return new HandshakeCertificates.Builder().heldCertificate(own).build().sslSocketFactory();
  }

  private Path kubeconfig(int port) throws IOException {
    return Files.writeString(
        directory.resolve("config"),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: k, user: u}}]
        clusters: [{name: k, cluster: {server: "https://127.0.0.1:%d", certificate-authority: ca.crt}}]
        users: [{name: u, user: {token: t}}]
        """
            .formatted(port));
  }

  @Test
  void whoReadItFromAFileGoesOn() throws IOException {
    Sockets sockets = new Sockets(replaced());
    try (MockWebServer server = new MockWebServer()) {
      server.useHttps(sockets, false);
      server.start(InetAddress.getLoopbackAddress(), 0);
      MockResponse last = new MockResponse().setBody("{}");
      server.enqueue(last.setSocketPolicy(SocketPolicy.DISCONNECT_AT_END));
      server.enqueue(new MockResponse().setBody("{}"));
      try (HttpClients http =
          HttpClients.connect(
              Optional.of(kubeconfig(server.getPort())), LIMIT, new MetricRegistry())) {
        assertThat(http.calls().get("/version").ok()).isTrue();

        sockets.now = replaced();

        assertThat(http.calls().get("/version").ok()).isTrue();
        assertThat(server.getRequestCount()).isEqualTo(2);
      }
    }
  }
}
