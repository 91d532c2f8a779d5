package io.gpudra.controller.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.ByteStreams;
import io.gpudra.controller.webhook.certificate.ReloadableKeyManager;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

/**
 * Sends test reviews over TLS. The first handshake and the first review each take more than a
 * second of the API server's timeout of two.
 */
final class WebhookWarmUp {
  private static final int ROUNDS = 100;

  /** The time limit, since readiness waits for the warm-up. */
  private static final Duration LONGEST = Duration.ofSeconds(3);

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final List<String> SPECS =
      List.of(
          """
          "kind": {"group": "gpu.resource.example.com", "kind": "GpuClaimParameters"},
          "object": {"metadata": {"name": "a"}, "spec": {"count": 2, "cel":
            "device.memory >= quantity('40Gi') && device.architecture in ['Ampere', 'Hopper']"}}""",
          """
          "kind": {"group": "gpu.resource.example.com", "kind": "GpuClaimParameters"},
          "object": {"metadata": {"name": "a"}, "spec": {"memory": "16", "cel": "device.memry"}}""",
          """
          "kind": {"group": "resource.k8s.io", "kind": "ResourceClaim"},
          "object": {"metadata": {"name": "a"}, "spec": {"resourceClassName": "none.example.com"}}""");

  private WebhookWarmUp() {}

  /**
   * Blocks until the warm-up is done.
   *
   * @throws IOException if a review is not answered
   */
  static void run(InetSocketAddress port, ReloadableKeyManager key)
      throws IOException, GeneralSecurityException {
    InetAddress at =
        port.getAddress().isAnyLocalAddress()
            ? InetAddress.getLoopbackAddress()
            : port.getAddress();
    URL url = new URL("https", at.getHostAddress(), port.getPort(), "/");
    SSLContext tls = key.trusting();
    long begin = System.nanoTime();
    for (int i = 0; i < ROUNDS && System.nanoTime() - begin < LONGEST.toNanos(); i++) {
      for (String spec : SPECS) {
        review(url, tls, spec);
      }
    }
  }

  private static void review(URL url, SSLContext tls, String spec) throws IOException {
    HttpsURLConnection connection = (HttpsURLConnection) url.openConnection();
    connection.setSSLSocketFactory(tls.getSocketFactory());
    // Trusts only this certificate and does not verify its host name.
    connection.setHostnameVerifier((host, session) -> true);
    connection.setConnectTimeout((int) PATIENCE.toMillis());
    connection.setReadTimeout((int) PATIENCE.toMillis());
    connection.setDoOutput(true);
    byte[] body =
        "{\"request\": {\"uid\": \"warm-up\", \"operation\": \"CREATE\", %s}}"
            .formatted(spec)
            .getBytes(UTF_8);
    connection.getOutputStream().write(body);
    try (InputStream answer = connection.getInputStream()) {
      long unused = ByteStreams.exhaust(answer);
    }
  }
}
