package io.gpudra.simulator.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableBiMap;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Map;

/** Events are stored once and served in two groups, which name the same fields differently. */
public final class EventShapes {
  private static final ImmutableBiMap<String, String> NEW_NAMES =
      ImmutableBiMap.<String, String>builder()
          .put("involvedObject", "regarding")
          .put("message", "note")
          .put("source", "deprecatedSource")
          .put("firstTimestamp", "deprecatedFirstTimestamp")
          .put("lastTimestamp", "deprecatedLastTimestamp")
          .put("count", "deprecatedCount")
          .put("reportingComponent", "reportingController")
          .buildOrThrow();
  private static final List<String> MAY_BE_EMPTY =
      List.of("reportingComponent", "reportingInstance");

  private EventShapes() {}

  /** An event of the core group as {@code events.k8s.io} shows it. */
  public static ObjectNode renamed(ObjectNode event) {
    MAY_BE_EMPTY.stream().filter(name -> Json.text(event, name).isEmpty()).forEach(event::remove);
    return rename(event, NEW_NAMES, Resource.NEW_EVENTS);
  }

  /** An event of {@code events.k8s.io} as the core group shows it. */
  public static ObjectNode original(ObjectNode event) {
    ObjectNode core = rename(event, NEW_NAMES.inverse(), Resource.EVENTS);
    complete(core);
    return core;
  }

  /** Core events have some fields even when they are empty. */
  static void complete(ObjectNode core) {
    MAY_BE_EMPTY.stream().filter(name -> !core.has(name)).forEach(name -> core.put(name, ""));
    core.withObjectProperty("source");
    core.withObjectProperty("involvedObject");
  }

  private static ObjectNode rename(ObjectNode event, Map<String, String> names, Resource shape) {
    ObjectNode renamed = Json.object();
    event
        .properties()
        .forEach(f -> renamed.set(names.getOrDefault(f.getKey(), f.getKey()), f.getValue()));
    return renamed.put("apiVersion", shape.apiVersion());
  }
}
