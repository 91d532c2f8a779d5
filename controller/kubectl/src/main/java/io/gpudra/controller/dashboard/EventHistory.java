package io.gpudra.controller.dashboard;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.ListLimit;
import io.gpudra.controller.dashboard.EventReader.SeenEvent;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ClaimDetails;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.stream.Stream;

/** Events and conditions of a pod and its claims, for callers who may not read the nodes. */
public record EventHistory(EventReader reader, Instant now) {
  private static final String WHY =
      "what nodes have cannot be read; scheduler and controller have said:";
  private static final int MAX_EVENTS = 20;

  /** For the events of all objects. */
  private static final Duration TIME = Duration.ofSeconds(10);

  /** Of the events of an object. */
  private static final long CHARACTERS = 16 << 20;

  private static final Comparator<SeenEvent> OLDEST_FIRST =
      Comparator.comparing(event -> event.at().orElse(Instant.EPOCH));

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

  ImmutableList<String> of(ExplainResult explainResult) throws IOException {
    Stream<String> conditions =
        explainResult.kind() == ExplainTarget.Kind.POD ? conditions(explainResult) : Stream.empty();
    List<String> unread = new ArrayList<>();
    Stream<String> events =
        events(explainResult, unread)
            .sorted(Comparator.comparing(this::age).reversed())
            .map(this::text);
    ImmutableList<String> all =
        Stream.of(conditions, events, unread.stream())
            .flatMap(lines -> lines)
            .collect(toImmutableList());
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

  /**
   * The newest events of each object.
   *
   * @param unread receives a line for each object with too many
   */
  private Stream<SeenEvent> events(ExplainResult explainResult, List<String> unread)
      throws IOException {
    long end = System.nanoTime() + TIME.toNanos();
    List<SeenEvent> own = new ArrayList<>();
    for (Involved object : objects(explainResult).toList()) {
      if (!newest(object, end, own)) {
        unread.add("  of %s %s not all events could be read".formatted(object.kind, object.name));
      }
    }
    return own.stream();
  }

  /** An object with events. */
  private record Involved(String namespace, String kind, String name) {}

  private static Stream<Involved> objects(ExplainResult explainResult) {
    Stream<Involved> pod =
        Stream.of(new Involved(explainResult.namespace(), "Pod", explainResult.name()))
            .filter(unused -> explainResult.kind() == ExplainTarget.Kind.POD);
    return Stream.concat(
        pod,
        explainResult.claims().stream()
            .map(ClaimDetails::ref)
            .map(claim -> new Involved(claim.namespace(), "ResourceClaim", claim.name())));
  }

  /** Whether all events of the object could be read. */
  private boolean newest(Involved object, long end, List<SeenEvent> own) throws IOException {
    Queue<SeenEvent> newest = new PriorityQueue<>(OLDEST_FIRST);
    boolean all =
        reader.events(
            object.namespace,
            "involvedObject.kind=%s,involvedObject.name=%s".formatted(object.kind, object.name),
            ListLimit.until(end, CHARACTERS),
            event -> {
              newest.add(event);
              if (newest.size() > MAX_EVENTS) {
                newest.remove();
              }
            });
    own.addAll(newest);
    return all;
  }
}
