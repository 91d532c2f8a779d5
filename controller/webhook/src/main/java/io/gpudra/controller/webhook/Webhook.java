package io.gpudra.controller.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.io.ByteStreams;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.webhook.certificate.ReloadableKeyManager;
import io.gpudra.controller.webhook.server.ReviewHandler;
import io.gpudra.controller.webhook.server.ReviewPort;
import io.gpudra.controller.webhook.server.ServerLimits;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The webhook server with certificate renewal. */
public final class Webhook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Webhook.class);

  private static final Duration KEY_PERIOD = Duration.ofSeconds(30);

  /** The interval of reads until there is a certificate. */
  private static final Duration FIRST_KEY_PERIOD = Duration.ofSeconds(1);

  private final ReviewPort port;
  private final ReloadableKeyManager key;
  private final Runnable keeper;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("webhook-certificate").setDaemon(true).build());
  private volatile boolean warm;

  private Webhook(ReviewPort port, ReloadableKeyManager key, Runnable keeper) {
    this.port = port;
    this.key = key;
    this.keeper = keeper;
  }

  /**
   * Starts listening. Handshakes fail before there is a certificate.
   *
   * @param keeper updates {@code key}; one thread runs it periodically
   */
  public static Webhook open(
      InetSocketAddress address,
      ReviewHandler reviewHandler,
      ReloadableKeyManager key,
      Runnable keeper)
      throws IOException {
    Webhook webhook =
        new Webhook(ReviewPort.open(address, key, ServerLimits.USUAL, reviewHandler), key, keeper);
    webhook.scheduler.execute(webhook::renewKey);
    return webhook;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // runs until it is closed
  private void renewKey() {
    try {
      keeper.run();
      if (key.ready() && !warm) {
        WebhookWarmUp.run(port.address(), key);
        warm = true;
        log.info("webhook serves port={}", port.address().getPort());
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      log.warn("webhook maintenance failed, retrying", e);
    } finally {
      Duration pause = warm ? KEY_PERIOD : FIRST_KEY_PERIOD;
      scheduler.schedule(this::renewKey, pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * The reasons why the webhook is not ready; empty if it serves. Without any certificate it counts
   * as ready: the leader that issues the first one may be an older pod without a webhook, which
   * only ends once its successors are ready.
   */
  public ImmutableList<String> hindrances() {
    if (warm || key.absent()) {
      return ImmutableList.of();
    }
    return ImmutableList.of(
        key.ready() ? "the webhook is warming up" : "the webhook has no certificate yet");
  }

  /** Moves API servers to other replicas; requests are still answered. */
  public void sendAway() {
    port.sendAway();
  }

  /** The port. */
  public int port() {
    return port.address().getPort();
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    port.close();
  }

  /**
   * Sends test reviews over TLS. The first handshake and the first review each take more than a
   * second of the API server's timeout of two.
   */
  private static final class WebhookWarmUp {
    private static final int ROUNDS = 100;

    /** The time limit, since readiness waits for the warm-up. */
    private static final Duration MAX_DURATION = Duration.ofSeconds(3);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final List<String> SPECS =
        List.of(
            """
            "kind": {"group": "gpu.resource.example.com", "kind": "GpuClaimParameters"},
            "object": {"metadata": {"name": "a"}, "spec": {"count": 2, "cel":
              "device.memory >= quantity('40Gi') && device.architecture in ['Ampere', 'Hopper']"}}\
            """,
            """
            "kind": {"group": "gpu.resource.example.com", "kind": "GpuClaimParameters"},
            "object": {"metadata": {"name": "a"}, "spec": {"memory": "16", "cel": "device.memry"}}\
            """,
            """
            "kind": {"group": "resource.k8s.io", "kind": "ResourceClaim"},
            "object": {"metadata": {"name": "a"}, "spec": {"resourceClassName": "none.example.com"}}\
            """);

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
      for (int i = 0; i < ROUNDS && System.nanoTime() - begin < MAX_DURATION.toNanos(); i++) {
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
      connection.setConnectTimeout((int) TIMEOUT.toMillis());
      connection.setReadTimeout((int) TIMEOUT.toMillis());
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
}
