package io.gpudra.controller.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.WarningQueue.WarningKey;
import io.gpudra.controller.memory.MemoryBudget;
import io.kubernetes.client.openapi.ApiException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events while this process leads, each at most once in five minutes. A caller never waits.
 * An event that does not fit into the queue, or gets no answer, counts as dropped and may be sent
 * again at once. An event counts as sent only once the server has accepted or refused it.
 */
public final class EventSink implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventSink.class);
  private static final int QUEUE = 1000;
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);
  private static final Duration REPEAT = Duration.ofMinutes(5);
  private static final Duration BETWEEN = Duration.ofMillis(100);
  private static final int TRIES = 4;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final EventWriter events;
  private final Clock clock;
  private final BooleanSupplier leads;
  private final Meter sent;
  private final Meter dropped;
  private final WarningQueue queue =
      new WarningQueue(QUEUE, MemoryBudget.WARNINGS.bytes(), MAX_WAIT);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "events");
  private final Cache<WarningKey, Boolean> sentBefore;

  /** The object of an event; an empty namespace stands for a cluster-scoped object. */
  public record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

    /** Its estimated size in memory. */
    int bytes() {
      return MemoryBudget.text(apiVersion + kind + namespace + name + uid);
    }

    /** Its namespace; the object itself if it is cluster-scoped, such as the report of a node. */
    String origin() {
      return namespace.isEmpty() ? kind + "/" + name : namespace;
    }

    /** Events of cluster-scoped objects live in {@code default}. */
    String eventNamespace() {
      return namespace.isEmpty() ? "default" : namespace;
    }
  }

  /** The type of an event, as kubectl shows it. */
  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * An event to send.
   *
   * @param reason CamelCase
   * @param causes the facts that distinguish this warning from the last one of the same subject and
   *     reason
   * @param text computed when it is sent
   * @param bytes the estimated memory that the text takes until then
   * @param type whether it is a warning
   */
  public record Warning(
      Subject subject,
      String reason,
      Set<String> causes,
      Supplier<String> text,
      long bytes,
      Type type) {
    /** A warning with a finished text. */
    public Warning(Subject subject, String reason, Set<String> causes, String message) {
      this(subject, reason, causes, () -> message, MemoryBudget.text(message), Type.WARNING);
    }

    String message() {
      return text.get();
    }
  }

  /**
   * A sink that is not started yet.
   *
   * @param component shown as the event's source, such as {@code resource driver gpu.example.com}
   * @param ticker the clock for repeated events
   * @param leads whether this process leads; until it does, warnings wait
   */
  public EventSink(
      HttpClients http,
      String component,
      Clock clock,
      Ticker ticker,
      BooleanSupplier leads,
      MetricRegistry metrics) {
    this.events = new EventWriter(http, component, clock);
    this.clock = clock;
    this.leads = leads;
    this.sent = metrics.meter("events.sent");
    this.dropped = metrics.meter("events.dropped");
    this.sentBefore =
        MemoryBudget.SENT_EVENTS
            .<WarningKey, Boolean>cache(MemoryBudget.ALL, (same, yes) -> same.bytes())
            .expireAfterWrite(REPEAT)
            .ticker(ticker)
            .build();
    thread.setDaemon(true);
  }

  /** Starts the thread; call it once. */
  public void start() {
    thread.start();
  }

  /** Queues the warning, unless it was sent recently, and returns at once. */
  public void warn(Warning warning) {
    warn(warning.subject().origin(), warning);
  }

  /** Queues the warning among those that this node causes, in any namespace. */
  public void warnOfNode(String node, Warning warning) {
    warn("node/" + node, warning);
  }

  private void warn(String origin, Warning warning) {
    if (!wasSent(warning) && !queue.add(origin, warning, clock.instant())) {
      dropped.mark();
    }
  }

  private boolean wasSent(Warning warning) {
    return sentBefore.getIfPresent(WarningKey.of(warning)) != null;
  }

  /** Ends the thread; queued warnings are not sent. */
  @Override
  public void close() {
    stopped.countDown();
    thread.interrupt();
    Uninterruptibles.joinUninterruptibly(thread);
  }

  private void run() {
    try {
      while (!stopped.await(BETWEEN.toMillis(), MILLISECONDS)) {
        if (leads.getAsBoolean()) {
          next();
        }
      }
    } catch (InterruptedException e) {
      log.debug("events end queued={}", queue.size());
    }
  }

  /** An error ends one warning only: the thread must go on to the others. */
  private void next() throws InterruptedException {
    try {
      Optional<Warning> warning = queue.poll(clock.instant());
      if (warning.isPresent() && !wasSent(warning.get())) {
        deliver(warning.get());
      }
    } catch (RuntimeException | Error e) {
      dropped.mark();
      log.error("event failed", e);
    }
  }

  private void deliver(Warning warning) throws InterruptedException {
    FailureBackoff backoff = new FailureBackoff(Duration.ofMillis(500), Duration.ofSeconds(5));
    for (int i = 0; i < TRIES; i++) {
      if (answered(warning)) {
        sentBefore.put(WarningKey.of(warning), true);
        return;
      }
      if (stopped.await(backoff.next(Duration.ZERO).toMillis(), MILLISECONDS)) {
        break;
      }
    }
    dropped.mark();
  }

  private boolean answered(Warning warning) {
    try {
      events.write(warning);
      sent.mark();
      return true;
    } catch (ApiException e) {
      log.debug(
          "event not accepted subject={} reason={} code={}",
          warning.subject(),
          warning.reason(),
          e.getCode(),
          e);
      boolean refused =
          e.getCode() > 0 && e.getCode() < SERVER_ERROR && e.getCode() != TOO_MANY_REQUESTS;
      if (refused) {
        dropped.mark();
      }
      return refused;
    }
  }
}
