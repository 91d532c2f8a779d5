package io.gpudra.controller.dashboard;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.dashboard.EventReader.SeenEvent;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/** Events and conditions of a pod and its claims, for callers who may not read the nodes. */
public record EventHistory(EventReader reader, Instant now) {
  private static final String WHY =
      "what nodes have cannot be read; scheduler and controller have said:";
  private static final int MAX_EVENTS = 20;

  /**
   * A heading, and one sentence for each event, the newest last. Empty if the caller may read the
   * nodes, or if nothing waits.
   *
   * @throws IOException when the server does not answer
   */
  public static ImmutableList<String> of(
      HttpClients http, UserView userView, ExplainResult explainResult) throws IOException {
    return explainResult.waits() && !userView.mayReadInventories()
        ? new EventHistory(new EventReader(http), userView.now()).of(explainResult)
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

  private long age(SeenEvent event) {
    return event.at().map(at -> now.getEpochSecond() - at.getEpochSecond()).orElse(0L);
  }

  private String text(SeenEvent event) {
    String when = event.at().map(at -> AgeText.between(at, now) + " ago").orElse("some time ago");
    return "  %s: %s: %s".formatted(when, event.reason(), event.message());
  }

  private Stream<String> conditions(ExplainResult pod) throws IOException {
    JsonNode object =
        reader.get(
            "/api/v1/namespaces/%s/pods/%s"
                .formatted(EventReader.path(pod.namespace()), EventReader.path(pod.name())));
    return Streams.stream(object.at("/status/conditions"))
        .filter(condition -> condition.path("status").asText().equals("False"))
        .map(
            condition ->
                "  condition %s is False: %s"
                    .formatted(
                        condition.path("type").asText(), condition.path("message").asText()));
  }

  private Stream<SeenEvent> events(ExplainResult explainResult) throws IOException {
    Stream<SeenEvent> own = Stream.empty();
    if (explainResult.kind() == ExplainTarget.Kind.POD) {
      own = events(explainResult.namespace(), "Pod", explainResult.name());
    }
    for (var claim : explainResult.claims()) {
      own =
          Stream.concat(own, events(claim.ref().namespace(), "ResourceClaim", claim.ref().name()));
    }
    return own;
  }

  private Stream<SeenEvent> events(String namespace, String kind, String name) throws IOException {
    ImmutableList<SeenEvent> events =
        reader.events(
            namespace, "involvedObject.kind=%s,involvedObject.name=%s".formatted(kind, name));
    return events.stream()
        .sorted(Comparator.comparing(event -> event.at().orElse(Instant.EPOCH)))
        .skip(Math.max(0, events.size() - MAX_EVENTS));
  }
}
