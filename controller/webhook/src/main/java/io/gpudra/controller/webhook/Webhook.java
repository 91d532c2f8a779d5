package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.webhook.certificate.ServedKey;
import io.gpudra.controller.webhook.server.Limits;
import io.gpudra.controller.webhook.server.ReviewPort;
import io.gpudra.controller.webhook.server.Reviewer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port, with a certificate that stays fresh. */
public final class Webhook implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Webhook.class);

  private static final Duration LOOK = Duration.ofSeconds(30);

  /** As long as there is none. */
  private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

  private final ReviewPort port;
  private final ServedKey key;
  private final Runnable keeper;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("webhook-certificate").setDaemon(true).build());
  private volatile boolean warm;

  private Webhook(ReviewPort port, ServedKey key, Runnable keeper) {
    this.port = port;
    this.key = key;
    this.keeper = keeper;
  }

  /**
   * Listens at once; nobody can connect before there is a certificate.
   *
   * @param keeper has {@code key} serve one; is run again and again by one thread
   */
  public static Webhook open(
      InetSocketAddress address, Reviewer reviewer, ServedKey key, Runnable keeper)
      throws IOException {
    Webhook webhook =
        new Webhook(ReviewPort.open(address, key, Limits.USUAL, reviewer), key, keeper);
    webhook.looking.execute(webhook::look);
    return webhook;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // goes on until it is closed
  private void look() {
    try {
      keeper.run();
      if (key.ready() && !warm) {
        WarmUp.run(port.address(), key);
        warm = true;
        log.info("webhook serves port={}", port.address().getPort());
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      log.warn("looking after the webhook failed, trying again", e);
    } finally {
      Duration pause = warm ? LOOK : FIRST_LOOK;
      looking.schedule(this::look, pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Why nobody should be sent to it yet; empty when it serves. Before a leader has made the first
   * certificate no API server asks, and the leader may be one without a webhook, which ends only
   * once its successors are ready.
   */
  public ImmutableList<String> hindrances() {
    if (warm || key.absent()) {
      return ImmutableList.of();
    }
    return ImmutableList.of(
        key.ready() ? "the webhook warms up" : "the webhook has no certificate yet");
  }

  /** Has API servers ask others, though it still answers. */
  public void sendAway() {
    port.sendAway();
  }

  /** Where it listens. */
  public int port() {
    return port.address().getPort();
  }

  @Override
  public void close() {
    looking.shutdownNow();
    port.close();
  }
}
