package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Naming;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** What the server gives new objects: time, uid, generated names. Thread-safe. */
record Identity(Clock clock, RandomGenerator random) {
  private static final int PREFIX_LIMIT = 58;

  /** Now, as metadata shows times: whole seconds. */
  String now() {
    return after(0);
  }

  String after(int seconds) {
    return clock.instant().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  synchronized void stamp(ObjectNode object, String name) {
    ObjectNode meta = Json.meta(object);
    String prefix = meta.path("generateName").asText();
    String start = prefix.substring(0, Math.min(prefix.length(), PREFIX_LIMIT));
    if (name.isEmpty() && !prefix.isEmpty()) {
      meta.put("name", start + Naming.randomSuffix(random));
    }
    meta.put("uid", new UUID(random.nextLong(), random.nextLong()).toString());
    meta.put("creationTimestamp", now());
  }
}
