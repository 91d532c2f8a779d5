package io.gpudra.scenarios.steps;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import io.gpudra.simulator.server.ObjectServer;
import java.util.HashMap;
import java.util.Map;

/** When the server last showed an allocation of each claim. */
final class GrantTimes {
  private final ObjectServer api;

  /** The revision at which the last allocation ended; of a present one the largest. */
  private final Map<ClaimUid, Long> ends = new HashMap<>();

  GrantTimes(ObjectServer api) {
    this.api = api;
    api.follow(Resource.CLAIMS, this::changed);
  }

  private void changed(WatchEvent event) {
    ClaimUid claim = new ClaimUid(Meta.uid(event.object()));
    boolean granted =
        !event.type().equals("DELETED") && Json.at(event.object(), "status.allocation").isObject();
    if (granted) {
      ends.put(claim, Long.MAX_VALUE);
    } else {
      ends.computeIfPresent(claim, (key, end) -> Math.min(end, api.revision()));
    }
  }

  /** Whether the claim was allocated at that revision or later. */
  boolean isSince(ClaimUid claim, long revision) {
    return ends.getOrDefault(claim, -1L) >= revision;
  }
}
