package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.webhook.certificate.ReloadableKeyManager;
import io.gpudra.controller.webhook.server.ReviewHandler;
import io.gpudra.controller.webhook.server.ReviewPort;
import io.gpudra.controller.webhook.server.ServerLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The webhook server with certificate renewal. */
public final class Webhook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Webhook.class);

  private static final Duration LOOK = Duration.ofSeconds(30);

  /** The interval of reads until there is a certificate. */
  private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

  private final ReviewPort port;
  private final ReloadableKeyManager key;
  private final Runnable keeper;
  private final ScheduledExecutorService looking =
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
    webhook.looking.execute(webhook::look);
    return webhook;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // runs until it is closed
  private void look() {
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
      Duration pause = warm ? LOOK : FIRST_LOOK;
      looking.schedule(this::look, pause.toMillis(), TimeUnit.MILLISECONDS);
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
    looking.shutdownNow();
    port.close();
  }
}
