package io.gpudra.controller.dashboard;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import com.google.common.net.UrlEscapers;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.crds.text.UtcTimes;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Reads events of the API server; those that the caller may not read are none. */
record EventReader(HttpClients http) {
  private static final int MAX_EVENTS = 500;
  private static final ImmutableSet<String> TIMES =
      ImmutableSet.of(
          "/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/firstTimestamp");

  /**
   * The parts of an event that are shown.
   *
   * @param object the name of its object
   */
  record SeenEvent(Optional<Instant> at, String object, String reason, String message) {}

  /** The first events of the namespace that match. */
  ImmutableList<SeenEvent> events(String namespace, String fieldSelector) throws IOException {
    JsonNode list =
        get(
            "/api/v1/namespaces/%s/events?fieldSelector=%s&limit=%d"
                .formatted(
                    path(namespace),
                    UrlEscapers.urlFormParameterEscaper().escape(fieldSelector),
                    MAX_EVENTS));
    return Streams.stream(list.path("items")).map(EventReader::event).collect(toImmutableList());
  }

  private static SeenEvent event(JsonNode event) {
    Optional<Instant> at =
        TIMES.stream()
            .map(event::at)
            .filter(JsonNode::isTextual)
            .flatMap(time -> UtcTimes.withAnyOffset(time.asText()).stream())
            .findFirst();
    return new SeenEvent(
        at,
        event.at("/involvedObject/name").asText(),
        event.path("reason").asText(),
        event.path("message").asText());
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
