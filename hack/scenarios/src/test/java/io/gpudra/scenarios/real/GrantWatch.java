package io.gpudra.scenarios.real;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.scenarios.run.ClusterClient;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks again and again whether a GPU is granted to two claims. */
final class GrantWatch {
  private static final JsonMapper JSON = new JsonMapper();
  private static final long PAUSE_MILLIS = 250;

  private final ClusterClient cluster;
  private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor();
  private final Set<String> doubleGrants = new ConcurrentSkipListSet<>();

  private GrantWatch(ClusterClient cluster) {
    this.cluster = cluster;
  }

  static GrantWatch start(ClusterClient cluster) {
    GrantWatch watch = new GrantWatch(cluster);
    Future<?> unused =
        watch.looking.scheduleWithFixedDelay(watch::look, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    return watch;
  }

  /** What was found, one sentence each. */
  Set<String> doubleGrants() {
    return doubleGrants;
  }

  /** All claims of one list are of the same moment. */
  private void look() {
    try {
      Map<String, String> holders = new HashMap<>();
      for (JsonNode claim :
          cluster.get("/apis/resource.k8s.io/v1alpha2/resourceclaims").at("/items")) {
        String name =
            claim.at("/metadata/namespace").asText() + "/" + claim.at("/metadata/name").asText();
        JsonNode handle = claim.at("/status/allocation/resourceHandles/0/data");
        for (JsonNode device : JSON.readTree(handle.asText("{}")).path("devices")) {
          String before = holders.put(device.path("uuid").asText(), name);
          if (before != null) {
            doubleGrants.add(device + " is granted to " + before + " and " + name);
          }
        }
      }
    } catch (IOException e) {
      doubleGrants.add("cannot look: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Looks no more. */
  void stop() throws InterruptedException {
    looking.shutdown();
    looking.awaitTermination(1, TimeUnit.MINUTES);
  }
}
