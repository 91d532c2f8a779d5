package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Events;
import io.gpudra.simulator.actor.KeyedLoop;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Binds the pods of the default scheduler; one at a time. */
public final class Scheduler implements Actor.Looping {
  /** A pod not yet bound, and what of it was known when it was last put into the queue. */
  private record Waiting(
      String uid, JsonNode claimStatuses, boolean gated, int failed, Instant notBefore) {
    Waiting failed(Instant next) {
      return new Waiting(uid, claimStatuses, gated, failed + 1, next);
    }

    boolean knows(JsonNode statuses, boolean isGated) {
      return claimStatuses.equals(statuses) && gated == isGated;
    }
  }

  private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
  private final Api api;
  private final Timings timings;
  private final InstantSource clock;
  private final Random random;
  private final Events events;
  private final KeyedLoop<String> loop;
  private final Attempt.View view;

  /**
   * Watches from now on.
   *
   * @param profile decides how claims are named, nothing else
   * @param random breaks ties; the same seed and the same calls give the same choices
   */
  public Scheduler(Api api, Timings timings, Profile profile, InstantSource clock, Random random) {
    this.api = api;
    this.timings = timings;
    this.clock = clock;
    this.random = random;
    this.events = new Events(api, "default-scheduler", clock);
    this.loop = new KeyedLoop<>(clock, Runnable::run, this::schedule);
    this.view =
        new Attempt.View(
            profile,
            mirror(Resource.NODES),
            mirror(Resource.CLAIMS),
            mirror(Resource.CONTEXTS),
            mirror(Resource.CLASSES),
            Mirror.of(api, Resource.PODS, this::podChanged));
  }

  private Mirror mirror(Resource resource) {
    return Mirror.of(api, resource, change -> retryAll());
  }

  private void retryAll() {
    waiting.forEach((key, pod) -> loop.add(key, latest(clock.instant(), pod.notBefore())));
  }

  private void podChanged(WatchEvent event) {
    Pod pod = new Pod(event.object());
    String key = Meta.key(pod.json());
    if (event.type().equals("DELETED") || !ours(pod)) {
      waiting.remove(key);
      boolean over = event.type().equals("DELETED") || pod.terminal();
      if (over && !pod.node().isEmpty()) {
        retryAll();
      }
      return;
    }
    JsonNode statuses = Json.at(pod.json(), "status.resourceClaimStatuses");
    Waiting known = waiting.get(key);
    if (known == null || !known.uid().equals(pod.uid())) {
      known = new Waiting(pod.uid(), statuses, pod.gated(), 0, clock.instant());
    } else if (known.knows(statuses, pod.gated())) {
      // Our own condition is no reason to try again.
      return;
    }
    waiting.put(
        key, new Waiting(pod.uid(), statuses, pod.gated(), known.failed(), known.notBefore()));
    loop.add(key, latest(clock.instant(), known.notBefore()));
  }

  private static boolean ours(Pod pod) {
    String scheduler = Json.text(pod.json(), "spec.schedulerName");
    return scheduler.equals("default-scheduler")
        && pod.node().isEmpty()
        && !pod.deleting()
        && !pod.terminal();
  }

  private void schedule(String key) {
    Waiting due = waiting.get(key);
    if (due == null) {
      return;
    }
    if (clock.instant().isBefore(due.notBefore())) {
      loop.add(key, due.notBefore());
      return;
    }
    Optional<Pod> pod = view.pods().get(key).map(Pod::new).filter(Scheduler::ours);
    pod.ifPresent(p -> settle(key, p, new Attempt(api, view, p, random).run()));
  }

  private void settle(String key, Pod pod, Outcome outcome) {
    switch (outcome.kind()) {
      case GATED -> {}
      case BOUND -> {
        waiting.remove(key);
        String bound = "Successfully assigned %s to %s".formatted(key, outcome.message());
        events.normal(pod, "Scheduled", bound);
      }
      case UNSCHEDULABLE -> failed(key, pod, "Unschedulable", outcome.message());
      case ERROR -> failed(key, pod, "SchedulerError", outcome.message());
    }
  }

  private void failed(String key, Pod pod, String reason, String message) {
    Waiting tried =
        waiting.computeIfPresent(
            key, (k, w) -> w.failed(clock.instant().plus(backoff(w.failed() + 1))));
    if (tried != null && reason.equals("SchedulerError")) {
      loop.add(key, tried.notBefore());
    }
    new Edits(api, Resource.PODS).status(pod.json(), live -> condition(live, reason, message));
    events.warning(pod, "FailedScheduling", message);
  }

  private Duration backoff(int failures) {
    Duration backoff = timings.schedulerBackoff().multipliedBy(1L << Math.min(failures - 1, 20));
    return backoff.compareTo(timings.schedulerBackoffMax()) > 0
        ? timings.schedulerBackoffMax()
        : backoff;
  }

  private boolean condition(ObjectNode pod, String reason, String message) {
    ObjectNode status = pod.withObjectProperty("status");
    JsonNode old = Json.find(status.path("conditions"), "type", "PodScheduled");
    if (old.path("message").asText().equals(message)
        && old.path("reason").asText().equals(reason)) {
      return false;
    }
    status.put("phase", "Pending");
    ObjectNode wanted = Json.object("type", "PodScheduled", "status", "False");
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    wanted.put("reason", reason).put("message", message).put("lastTransitionTime", now);
    Json.replace(status.withArrayProperty("conditions"), "type", wanted);
    return true;
  }

  private static Instant latest(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  @Override
  public KeyedLoop<String> loop() {
    return loop;
  }

  @Override
  public void close() {
    Stream.of(view.pods(), view.nodes(), view.claims(), view.contexts(), view.classes())
        .forEach(Mirror::close);
  }
}
