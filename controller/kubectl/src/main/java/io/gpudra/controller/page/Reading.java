package io.gpudra.controller.page;

import com.google.common.base.Stopwatch;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.sight.ClusterSight;
import io.gpudra.controller.sight.Watches;
import io.gpudra.controller.view.Sight;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the cluster again whenever a watch says that something changed, and now and then although
 * none does. For one thread.
 */
final class Reading implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reading.class);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final int PAUSES = 4;
  private static final int UNKNOWN_CALLER = 401;

  private final HttpClients http;
  private final Pace pace;
  private final KubeSettings settings;
  private final String namespace;
  private final Listener listener;
  private final Semaphore changes = new Semaphore(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Watches watches;
  private Instant renewed = Instant.MIN;

  /**
   * How often it looks though nothing happens.
   *
   * @param ping whether the server still answers
   * @param renew what changes with time alone
   */
  record Pace(Duration ping, Duration renew) {
    static final Pace USUAL = new Pace(Duration.ofSeconds(5), Duration.ofSeconds(15));
  }

  /** Learns of what was read, in one thread. */
  interface Listener {
    void read(Sight sight);

    /** What was read is still so, but for this trouble; none when it is empty. */
    void checked(Instant now, String trouble);
  }

  /**
   * Reads nothing yet.
   *
   * @param namespace where to look for what may not be read of all namespaces
   */
  Reading(HttpClients http, KubeSettings settings, String namespace, Pace pace, Listener listener) {
    this.http = http;
    this.settings = settings;
    this.namespace = namespace;
    this.pace = pace;
    this.listener = listener;
    this.watches = new Watches(http, changes::release);
  }

  void start() {
    Thread thread = new Thread(this::run, "reading");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    Duration pause = Duration.ZERO;
    while (!Uninterruptibles.awaitUninterruptibly(closed, pause)) {
      boolean news = Uninterruptibles.tryAcquireUninterruptibly(changes, pace.ping());
      changes.drainPermits();
      Stopwatch working = Stopwatch.createStarted();
      look(news);
      pause = pause(working.elapsed());
    }
  }

  /** It works at most a fifth of its time, unless that would leave the page without a word. */
  private static Duration pause(Duration worked) {
    return Collections.max(
        List.of(
            SHORTEST_PAUSE, Collections.min(List.of(LONGEST_PAUSE, worked.multipliedBy(PAUSES)))));
  }

  private void look(boolean news) {
    Instant now = settings.clock().instant();
    try {
      if (news || now.isAfter(renewed.plus(pace.renew()))) {
        listener.read(
            Sight.of(ClusterSight.of(watches, settings, namespace), settings.driverName(), now));
        renewed = now;
      }
      listener.checked(now, trouble());
    } catch (IOException e) {
      changes.release();
      listener.checked(now, "The cluster cannot be read: " + e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("reading failed", e);
      listener.checked(now, "Reading failed, see the terminal of the command.");
    }
  }

  /** Watches are silent when nothing happens, and when nobody is there. */
  private String trouble() {
    try {
      int code = http.calls().get("/version").code();
      return code == UNKNOWN_CALLER
          ? "The API server does not know the caller any more (401)."
          : String.join(" ", watches.refusals());
    } catch (IOException e) {
      return "The API server does not answer: " + e.getMessage();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    watches.close();
  }
}
