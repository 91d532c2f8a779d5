package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Tells people about pods by events; the same again raises the count of the first. */
public final class Events {
  private record Said(String podUid, String reason, String message) {}

  private final Cache<Said, String> names = CacheBuilder.newBuilder().maximumSize(4096).build();
  private final AtomicLong sequence = new AtomicLong();
  private final Api api;
  private final String component;
  private final InstantSource clock;

  public Events(Api api, String component, InstantSource clock) {
    this.api = api;
    this.component = component;
    this.clock = clock;
  }

  public void normal(Pod pod, String reason, String message) {
    tell(pod, "Normal", reason, message);
  }

  public void warning(Pod pod, String reason, String message) {
    tell(pod, "Warning", reason, message);
  }

  private void tell(Pod pod, String type, String reason, String message) {
    Said said = new Said(pod.uid(), reason, message);
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    try {
      Optional<ObjectNode> known =
          Optional.ofNullable(names.getIfPresent(said))
              .flatMap(name -> api.get(Resource.EVENTS, pod.namespace(), name));
      if (known.isPresent()) {
        known.get().put("lastTimestamp", now).put("count", known.get().path("count").asInt() + 1);
        api.update(Resource.EVENTS, known.get());
      } else {
        ObjectNode event = api.create(Resource.EVENTS, event(pod, type, said, now));
        names.put(said, Meta.name(event));
      }
    } catch (ApiError e) {
      // An event is news, not state: in a namespace that goes away nobody misses it.
      names.invalidate(said);
    }
  }

  private ObjectNode event(Pod pod, String type, Said said, String now) {
    ObjectNode event = pod.json().objectNode();
    event.put("apiVersion", "v1").put("kind", "Event");
    String suffix = Long.toHexString(sequence.incrementAndGet());
    int origin = (component + Instant.EPOCH.until(clock.instant(), ChronoUnit.MILLIS)).hashCode();
    event
        .putObject("metadata")
        .put("namespace", pod.namespace())
        .put("name", pod.name() + "." + Integer.toHexString(origin) + suffix);
    event
        .putObject("involvedObject")
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("namespace", pod.namespace())
        .put("name", pod.name())
        .put("uid", pod.uid());
    event.put("type", type).put("reason", said.reason()).put("message", said.message());
    event.put("firstTimestamp", now).put("lastTimestamp", now).put("count", 1);
    event.putObject("source").put("component", component);
    return event;
  }
}
