package io.gpudra.controller.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.RateLimiter;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Warning events (core/v1). A caller never waits: what does not fit into the queue, or is
 * not accepted after some tries, is counted as dropped. The same warning again raises the count of
 * the event that is there.
 *
 * <p>Replaces the stock recorder, whose patches are no JSON when a message has a quote (defect 19).
 */
public final class EventSink implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventSink.class);
  private static final int QUEUE = 1000;
  private static final int REMEMBERED = 4096;
  private static final int TRIES = 4;
  private static final int MOST_MESSAGE_CHARS = 1024;
  private static final int MOST_NAME_CHARS = 230;
  private static final double EVENTS_PER_SECOND = 10;
  private static final JsonMapper JSON = new JsonMapper();

  private final JsonCalls calls;
  private final String component;
  private final Clock clock;
  private final Meter sent;
  private final Meter dropped;
  private final BlockingQueue<Warning> queue = new ArrayBlockingQueue<>(QUEUE);
  private final RateLimiter rate = RateLimiter.create(EVENTS_PER_SECOND);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "events");

  /** Keeps names apart that are made at one instant; confined to the thread, as the next. */
  private long serial;

  private final Map<Sameness, Posted> posted =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Sameness, Posted> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** The object an event is about; an empty namespace stands for a cluster-scoped object. */
  public record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

    /** Events of cluster-scoped objects live in {@code default}. */
    String eventNamespace() {
      return namespace.isEmpty() ? "default" : namespace;
    }
  }

  /**
   * What to tell.
   *
   * @param reason CamelCase
   * @param causes what makes this warning another one than the last of the same subject and reason
   */
  public record Warning(Subject subject, String reason, Set<String> causes, String message) {}

  private record Sameness(String uid, String reason, Set<String> causes) {}

  private record Posted(String path, int count) {}

  /**
   * Not started yet.
   *
   * @param component shown as the event's source, such as {@code resource driver gpu.example.com}
   */
  public EventSink(JsonCalls calls, String component, Clock clock, MetricRegistry metrics) {
    this.calls = calls;
    this.component = component;
    this.clock = clock;
    this.sent = metrics.meter("events.sent");
    this.dropped = metrics.meter("events.dropped");
    thread.setDaemon(true);
  }

  /** Starts the thread; once. */
  public void start() {
    thread.start();
  }

  /** Queues the warning and returns at once. */
  public void warn(Warning warning) {
    if (!queue.offer(warning)) {
      dropped.mark();
    }
  }

  /** Ends the thread; what is still queued is not sent. */
  @Override
  public void close() {
    stopped.countDown();
    thread.interrupt();
    Uninterruptibles.joinUninterruptibly(thread);
  }

  private void run() {
    try {
      while (stopped.getCount() > 0) {
        Warning warning = queue.take();
        rate.acquire();
        deliverOrDrop(warning);
      }
    } catch (InterruptedException e) {
      log.debug("events end queued={}", queue.size());
    }
  }

  /** Credentials that cannot be read just now, for one, are no IOException. */
  private void deliverOrDrop(Warning warning) throws InterruptedException {
    try {
      deliver(warning);
    } catch (RuntimeException e) {
      dropped.mark();
      log.error("event failed subject={} reason={}", warning.subject(), warning.reason(), e);
    }
  }

  private void deliver(Warning warning) throws InterruptedException {
    Backoff backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(5));
    for (int i = 0; i < TRIES; i++) {
      switch (attempt(warning)) {
        case SENT -> {
          sent.mark();
          return;
        }
        case REFUSED -> i = TRIES;
        case UNANSWERED -> stopped.await(backoff.next(Duration.ZERO).toMillis(), MILLISECONDS);
      }
    }
    dropped.mark();
    log.debug("event dropped subject={} reason={}", warning.subject(), warning.reason());
  }

  private enum Result {
    SENT,
    REFUSED,
    UNANSWERED
  }

  private Result attempt(Warning warning) {
    Sameness same =
        new Sameness(warning.subject().uid(), warning.reason(), Set.copyOf(warning.causes()));
    Posted before = posted.get(same);
    try {
      return before == null ? post(same, warning) : count(same, before, warning);
    } catch (IOException e) {
      log.debug("event not sent subject={}", warning.subject(), e);
      return Result.UNANSWERED;
    }
  }

  private Result post(Sameness same, Warning warning) throws IOException {
    String namespace = warning.subject().eventNamespace();
    ObjectNode event = event(warning);
    String path = "/api/v1/namespaces/" + namespace + "/events";
    Answer answer = calls.send("POST", path, Form.JSON, event.toString());
    if (answer.ok()) {
      posted.put(same, new Posted(path + "/" + event.at("/metadata/name").asText(), 1));
    }
    return result(answer);
  }

  private Result count(Sameness same, Posted before, Warning warning) throws IOException {
    ObjectNode patch = JSON.createObjectNode();
    patch.put("count", before.count() + 1).put("lastTimestamp", now());
    patch.put("message", message(warning));
    Answer answer = calls.send("PATCH", before.path(), Form.MERGE_PATCH, patch.toString());
    if (answer.code() == 404) {
      // Events live for an hour.
      posted.remove(same);
      return post(same, warning);
    }
    if (answer.ok()) {
      posted.put(same, new Posted(before.path(), before.count() + 1));
    }
    return result(answer);
  }

  private static Result result(Answer answer) {
    if (answer.ok()) {
      return Result.SENT;
    }
    return answer.code() >= 500 || answer.code() == 429 ? Result.UNANSWERED : Result.REFUSED;
  }

  private ObjectNode event(Warning warning) {
    Subject subject = warning.subject();
    ObjectNode event = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Event");
    event
        .putObject("metadata")
        .put("namespace", subject.eventNamespace())
        .put("name", name(subject));
    ObjectNode involved = event.putObject("involvedObject");
    involved.put("apiVersion", subject.apiVersion()).put("kind", subject.kind());
    involved.put("name", subject.name()).put("uid", subject.uid());
    if (!subject.namespace().isEmpty()) {
      involved.put("namespace", subject.namespace());
    }
    event.put("type", "Warning").put("reason", warning.reason());
    event.put("message", message(warning)).put("count", 1);
    event.put("firstTimestamp", now()).put("lastTimestamp", now());
    event.putObject("source").put("component", component);
    return event;
  }

  private String name(Subject subject) {
    Instant now = clock.instant();
    long nanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
    String name = subject.name();
    return name.substring(0, Math.min(name.length(), MOST_NAME_CHARS))
        + "."
        + Long.toHexString(nanos + serial++);
  }

  private static String message(Warning warning) {
    String message = warning.message();
    return message.substring(0, Math.min(message.length(), MOST_MESSAGE_CHARS));
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
