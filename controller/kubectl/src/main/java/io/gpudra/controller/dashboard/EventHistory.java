package io.gpudra.controller.dashboard;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import com.google.common.net.UrlEscapers;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import io.gpudra.crds.text.UtcTimes;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Events and conditions of a pod and its claims, for callers who may not read the nodes. */
public record EventHistory(HttpClients http, Instant now) {
  private static final String WHY =
      "what nodes have cannot be read; scheduler and controller have said:";
  private static final int MAX_EVENTS = 20;
  private static final ImmutableSet<String> TIMES =
      ImmutableSet.of(
          "/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/firstTimestamp");

  /** The parts of an event that are shown. */
  private record Event(Optional<Instant> at, String reason, String message) {}

  /**
   * A heading, and one sentence for each event, the newest last. Empty if the caller may read the
   * nodes, or if nothing waits.
   *
   * @throws IOException when the server does not answer
   */
  public static ImmutableList<String> of(
      HttpClients http, UserView userView, ExplainResult explainResult) throws IOException {
    return explainResult.waits() && !userView.mayReadInventories()
        ? new EventHistory(http, userView.now()).of(explainResult)
        : ImmutableList.of();
  }

  private ImmutableList<String> of(ExplainResult explainResult) throws IOException {
    Stream<String> conditions =
        explainResult.kind() == ExplainTarget.Kind.POD ? conditions(explainResult) : Stream.empty();
    Stream<String> events =
        events(explainResult).sorted(Comparator.comparing(this::age).reversed()).map(this::text);
    ImmutableList<String> all = Stream.concat(conditions, events).collect(toImmutableList());
    return Stream.concat(Stream.of(all.isEmpty() ? WHY + " nothing" : WHY), all.stream())
        .collect(toImmutableList());
  }

  private long age(Event event) {
    return event.at().map(at -> now.getEpochSecond() - at.getEpochSecond()).orElse(0L);
  }

  private String text(Event event) {
    String when = event.at().map(at -> AgeText.between(at, now) + " ago").orElse("some time ago");
    return "  %s: %s: %s".formatted(when, event.reason(), event.message());
  }

  private Stream<String> conditions(ExplainResult pod) throws IOException {
    JsonNode object =
        get("/api/v1/namespaces/%s/pods/%s".formatted(path(pod.namespace()), path(pod.name())));
    return Streams.stream(object.at("/status/conditions"))
        .filter(condition -> condition.path("status").asText().equals("False"))
        .map(
            condition ->
                "  condition %s is False: %s"
                    .formatted(
                        condition.path("type").asText(), condition.path("message").asText()));
  }

  private Stream<Event> events(ExplainResult explainResult) throws IOException {
    Stream<Event> own = Stream.empty();
    if (explainResult.kind() == ExplainTarget.Kind.POD) {
      own = events(explainResult.namespace(), "Pod", explainResult.name());
    }
    for (var claim : explainResult.claims()) {
      own =
          Stream.concat(own, events(claim.ref().namespace(), "ResourceClaim", claim.ref().name()));
    }
    return own;
  }

  private Stream<Event> events(String namespace, String kind, String name) throws IOException {
    String selector = "involvedObject.kind=%s,involvedObject.name=%s".formatted(kind, name);
    JsonNode list =
        get(
            "/api/v1/namespaces/%s/events?fieldSelector=%s"
                .formatted(
                    path(namespace), UrlEscapers.urlFormParameterEscaper().escape(selector)));
    return Streams.stream(list.path("items"))
        .map(EventHistory::event)
        .sorted(Comparator.comparing(event -> event.at().orElse(Instant.EPOCH)))
        .skip(Math.max(0, list.path("items").size() - MAX_EVENTS));
  }

  private static Event event(JsonNode event) {
    Optional<Instant> at =
        TIMES.stream()
            .map(event::at)
            .filter(JsonNode::isTextual)
            .flatMap(time -> UtcTimes.withAnyOffset(time.asText()).stream())
            .findFirst();
    return new Event(at, event.path("reason").asText(), event.path("message").asText());
  }

  private static String path(String segment) {
    return UrlEscapers.urlPathSegmentEscaper().escape(segment);
  }

  /** The object; missing if the caller may not read it. */
  private JsonNode get(String path) throws IOException {
    Answer answer = http.calls().get(path);
    return answer.ok()
        ? DashboardJson.MAPPER.readTree(answer.body())
        : DashboardJson.MAPPER.createObjectNode();
  }
}
