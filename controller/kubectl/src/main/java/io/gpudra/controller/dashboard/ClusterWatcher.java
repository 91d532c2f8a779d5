package io.gpudra.controller.dashboard;

import com.google.common.base.Stopwatch;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.WatchCache;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.view.UserView;
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
 * Reads the cluster again after each change that a watch reports, and periodically. For one thread.
 */
final class ClusterWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterWatcher.class);
  private static final Duration MIN_PAUSE = Duration.ofMillis(200);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);
  private static final int PAUSE_FACTOR = 4;
  private static final int UNKNOWN_CALLER = 401;

  private final HttpClients http;
  private final Pace pace;
  private final KubeSettings settings;
  private final String namespace;
  private final Listener listener;
  private final Semaphore changes = new Semaphore(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final WatchCache watches;
  private Instant renewed = Instant.MIN;

  /**
   * Intervals without a change.
   *
   * @param ping for checking that the server still answers
   * @param renew for building the state again, since ages change with time
   */
  record Pace(Duration ping, Duration renew) {
    static final Pace USUAL = new Pace(Duration.ofSeconds(5), Duration.ofSeconds(15));
  }

  /** Receives each snapshot, in one thread. */
  interface Listener {
    void read(UserView userView);

    /** The last snapshot is still current, or could not be confirmed because of this error. */
    void checked(Instant now, String trouble);
  }

  /**
   * A watcher that has read nothing yet.
   *
   * @param namespace that is read where the caller may not list all namespaces
   */
  ClusterWatcher(
      HttpClients http, KubeSettings settings, String namespace, Pace pace, Listener listener) {
    this.http = http;
    this.settings = settings;
    this.namespace = namespace;
    this.pace = pace;
    this.listener = listener;
    this.watches = new WatchCache(http, changes::release);
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
      read(news);
      pause = pause(working.elapsed());
    }
  }

  /** Limits the work to a fifth of the time, with pauses of at most {@code MAX_PAUSE}. */
  private static Duration pause(Duration worked) {
    return Collections.max(
        List.of(MIN_PAUSE, Collections.min(List.of(MAX_PAUSE, worked.multipliedBy(PAUSE_FACTOR)))));
  }

  private void read(boolean news) {
    Instant now = settings.clock().instant();
    try {
      if (news || now.isAfter(renewed.plus(pace.renew()))) {
        listener.read(
            UserView.of(ClusterView.of(watches, settings, namespace), settings.driverName(), now));
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

  /** The error, if the API server does not answer: a silent watch does not show this. */
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
