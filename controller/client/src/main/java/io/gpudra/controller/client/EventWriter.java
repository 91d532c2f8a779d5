package io.gpudra.controller.client;

import com.google.common.cache.Cache;
import io.gpudra.controller.client.EventSink.Subject;
import io.gpudra.controller.client.EventSink.Warning;
import io.gpudra.controller.client.WarningQueue.WarningKey;
import io.gpudra.controller.memory.MemoryBudget;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1EventSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.util.PatchUtils;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/**
 * The written Event objects (core/v1): a repeated warning raises the count of the existing event.
 * For one thread.
 */
final class EventWriter {
  private static final int MAX_MESSAGE_CHARS = 1024;
  private static final int MAX_NAME_CHARS = 230;
  private static final int NOT_FOUND = 404;

  private final HttpClients http;
  private final CoreV1Api api;
  private final String component;
  private final Clock clock;

  /** Distinguishes names that are made at one instant. */
  private long serial;

  private final Cache<WarningKey, SentEvent> posted =
      MemoryBudget.EVENTS
          .<WarningKey, SentEvent>cache(
              MemoryBudget.ALL, (same, event) -> same.bytes() + event.bytes())
          .build();

  private record SentEvent(String namespace, String name, int count) {
    int bytes() {
      return MemoryBudget.ENTRY + MemoryBudget.text(namespace + name);
    }

    SentEvent again() {
      return new SentEvent(namespace, name, count + 1);
    }
  }

  EventWriter(HttpClients http, String component, Clock clock) {
    this.http = http;
    this.api = new CoreV1Api(http.api());
    this.component = component;
    this.clock = clock;
  }

  /**
   * Writes an event. A normal event happens once, and evicts no warning from the cache.
   *
   * @throws ApiException when the server refuses it or does not answer
   */
  void write(Warning warning) throws ApiException {
    if (warning.type() == EventSink.Type.NORMAL) {
      SentEvent unused = post(warning);
      return;
    }
    WarningKey same = WarningKey.of(warning);
    SentEvent before = posted.getIfPresent(same);
    if (before == null || !counted(before.again(), warning)) {
      posted.put(same, post(warning));
    } else {
      posted.put(same, before.again());
    }
  }

  private SentEvent post(Warning warning) throws ApiException {
    Subject subject = warning.subject();
    String namespace = subject.eventNamespace();
    String name = name(subject);
    CoreV1Event event =
        new CoreV1Event()
            .apiVersion("v1")
            .kind("Event")
            .metadata(new V1ObjectMeta().namespace(namespace).name(name))
            .involvedObject(reference(subject))
            .type(warning.type().text())
            .reason(warning.reason())
            .message(message(warning))
            .count(1)
            .firstTimestamp(now())
            .lastTimestamp(now())
            .source(new V1EventSource().component(component));
    CoreV1Event unused = api.createNamespacedEvent(namespace, event).execute();
    return new SentEvent(namespace, name, 1);
  }

  private static V1ObjectReference reference(Subject subject) {
    V1ObjectReference involved =
        new V1ObjectReference()
            .apiVersion(subject.apiVersion())
            .kind(subject.kind())
            .name(subject.name())
            .uid(subject.uid());
    return subject.namespace().isEmpty() ? involved : involved.namespace(subject.namespace());
  }

  /**
   * Replaces the stock recorder, whose patches are no JSON when a message has a quote (defect 19).
   *
   * @return false when the event is gone: they live for an hour
   */
  private boolean counted(SentEvent now, Warning warning) throws ApiException {
    CoreV1Event change =
        new CoreV1Event().count(now.count()).lastTimestamp(now()).message(message(warning));
    V1Patch patch = new V1Patch(JSON.serialize(change));
    try {
      CoreV1Event unused =
          PatchUtils.patch(
              CoreV1Event.class,
              () -> api.patchNamespacedEvent(now.name(), now.namespace(), patch).buildCall(null),
              V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
              http.api());
      return true;
    } catch (ApiException e) {
      if (e.getCode() == NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private String name(Subject subject) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    String name = subject.name();
    return name.substring(0, Math.min(name.length(), MAX_NAME_CHARS))
        + "."
        + Long.toHexString(micros * 1000 + serial++);
  }

  private static String message(Warning warning) {
    String message = warning.message();
    return message.substring(0, Math.min(message.length(), MAX_MESSAGE_CHARS));
  }

  private OffsetDateTime now() {
    return OffsetDateTime.ofInstant(clock.instant(), ZoneOffset.UTC)
        .truncatedTo(ChronoUnit.SECONDS);
  }
}
