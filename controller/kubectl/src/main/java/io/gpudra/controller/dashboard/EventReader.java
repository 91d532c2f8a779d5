package io.gpudra.controller.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.net.UrlEscapers;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.watch.FieldFilter;
import io.gpudra.controller.client.watch.ListLimit;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.client.watch.TooLargeException;
import io.gpudra.controller.client.watch.TooSlowException;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.crds.text.UtcTimes;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads events of the API server; those that the caller may not read are none. Tenants can write
 * events, any number and of a megabyte each.
 */
record EventReader(HttpClients http) {
  /** Of a text: those of Kubernetes have 1,024 at most. */
  private static final int MAX_CHARACTERS = 4_096;

  private static final WatchedKind<StoredEvent, SeenEvent> EVENTS =
      new WatchedKind<>(
          "/api/v1/events",
          "v1",
          "Event",
          FieldFilter.of(
              "involvedObject.name",
              "reason",
              "message",
              "series.lastObservedTime",
              "lastTimestamp",
              "eventTime",
              "firstTimestamp"),
          StoredEvent.class,
          SeenEvent::of);

  private record StoredEvent(
      @Nullable Involved involvedObject,
      @Nullable String reason,
      @Nullable String message,
      @Nullable Series series,
      @Nullable String lastTimestamp,
      @Nullable String eventTime,
      @Nullable String firstTimestamp) {}

  private record Involved(@Nullable String name) {}

  private record Series(@Nullable String lastObservedTime) {}

  /**
   * The parts of an event that are shown.
   *
   * @param object the name of its object
   */
  record SeenEvent(Optional<Instant> at, String object, String reason, String message) {

    private static SeenEvent of(StoredEvent event) {
      return new SeenEvent(
          Stream.of(
                  event.series() == null ? null : event.series().lastObservedTime(),
                  event.lastTimestamp(),
                  event.eventTime(),
                  event.firstTimestamp())
              .flatMap(Stream::ofNullable)
              .flatMap(time -> UtcTimes.withAnyOffset(time).stream())
              .findFirst(),
          event.involvedObject() == null ? "" : text(event.involvedObject().name()),
          text(event.reason()),
          text(event.message()));
    }

    private static String text(@Nullable String text) {
      return text == null ? "" : text.substring(0, Math.min(text.length(), MAX_CHARACTERS));
    }
  }

  /**
   * The events of the namespace that match.
   *
   * @return false if the list exceeds the limit, so that events are missing
   * @throws IOException when the server does not answer
   */
  boolean events(String namespace, String fieldSelector, ListLimit limit, Consumer<SeenEvent> found)
      throws IOException {
    try {
      new LiveObjects<>(
              http,
              EVENTS.in(path(namespace)).where(ImmutableMap.of("fieldSelector", fieldSelector)),
              unread -> {})
          .list(event -> found.accept(event.value()), limit);
      return true;
    } catch (RefusedException e) {
      return true;
    } catch (TooLargeException | TooSlowException e) {
      return false;
    }
  }

  static String path(String segment) {
    return UrlEscapers.urlPathSegmentEscaper().escape(segment);
  }

  /** The object; missing if the caller may not read it. */
  JsonNode get(String path) throws IOException {
    Answer answer = http.calls().get(path);
    return answer.ok()
        ? DashboardJson.MAPPER.readTree(answer.body())
        : DashboardJson.MAPPER.createObjectNode();
  }
}
