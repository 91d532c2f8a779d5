package io.gpudra.scenarios.cluster;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks again and again whether a GPU has two holders. */
public final class HolderWatch {
  private final Callable<SetMultimap<String, String>> holders;
  private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor();
  private final Set<String> shared = new ConcurrentSkipListSet<>();

  private HolderWatch(Callable<SetMultimap<String, String>> holders) {
    this.holders = holders;
  }

  /**
   * Looks from now on.
   *
   * @param holders of each GPU, all of the same moment
   */
  public static HolderWatch start(Callable<SetMultimap<String, String>> holders, Duration pause) {
    HolderWatch watch = new HolderWatch(holders);
    Future<?> unused =
        watch.looking.scheduleWithFixedDelay(
            watch::look, 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    return watch;
  }

  /** The claims of our driver that name each GPU in their handle. */
  public static SetMultimap<String, String> grants(Iterable<? extends JsonNode> claims)
      throws JsonProcessingException {
    SetMultimap<String, String> holders = HashMultimap.create();
    for (JsonNode claim : claims) {
      String name =
          claim.at("/metadata/namespace").asText() + "/" + claim.at("/metadata/name").asText();
      if (claim.at("/status/driverName").asText().equals(Binaries.DRIVER_NAME)) {
        ClusterProbe.devices(claim).forEach(uuid -> holders.put(uuid, name));
      }
    }
    return holders;
  }

  /** What was found so far, one sentence each. */
  public ImmutableSet<String> shared() {
    return ImmutableSet.copyOf(shared);
  }

  private void look() {
    try {
      shared.addAll(
          holders.call().asMap().entrySet().stream()
              .filter(gpu -> gpu.getValue().size() > 1)
              .map(gpu -> "GPU %s has the holders %s".formatted(gpu.getKey(), gpu.getValue()))
              .collect(toImmutableSet()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      shared.add("cannot look: " + e);
    }
  }

  /** Looks no more. */
  public void stop() throws InterruptedException {
    looking.shutdown();
    looking.awaitTermination(1, TimeUnit.MINUTES);
  }
}
