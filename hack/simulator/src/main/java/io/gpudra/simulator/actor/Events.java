package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Records events on pods; a repeated event increases the count of the first. */
public final class Events {
  private record Said(String podUid, String type, String reason, String message) {}

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
    tell(pod, new Said(pod.uid(), "Normal", reason, message));
  }

  public void warning(Pod pod, String reason, String message) {
    tell(pod, new Said(pod.uid(), "Warning", reason, message));
  }

  private void tell(Pod pod, Said said) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    try {
      Optional<ObjectNode> known =
          Optional.ofNullable(names.getIfPresent(said))
              .flatMap(name -> api.get(Resource.EVENTS, pod.namespace(), name));
      if (known.isPresent()) {
        known.get().put("lastTimestamp", now).put("count", known.get().path("count").asInt() + 1);
        api.update(Resource.EVENTS, known.get());
      } else {
        names.put(said, Meta.name(api.create(Resource.EVENTS, event(pod, said, now))));
      }
    } catch (ApiError e) {
      // Events are best effort; in a terminating namespace they are not needed.
      names.invalidate(said);
    }
  }

  private ObjectNode event(Pod pod, Said said, String now) {
    int origin = (component + clock.instant().toEpochMilli()).hashCode();
    String suffix = Integer.toHexString(origin) + Long.toHexString(sequence.incrementAndGet());
    ObjectNode event =
        Json.object("type", said.type(), "reason", said.reason(), "message", said.message());
    event.put("firstTimestamp", now).put("lastTimestamp", now).put("count", 1);
    event.set("metadata", pod.named(pod.name() + "." + suffix));
    event.set("involvedObject", pod.reference().put("namespace", pod.namespace()));
    return event.set("source", Json.object("component", component));
  }
}
