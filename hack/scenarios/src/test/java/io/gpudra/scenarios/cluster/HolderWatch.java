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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Looks again and again whether a GPU has two holders. */
public final class HolderWatch {
  private static final int MEMORY_SLICES = 8;

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

  /**
   * The claims of our driver by what their handles take for them alone: the memory slices of a GPU,
   * all of them when it is whole. Of shares, and of what is only held for others, there may be
   * many.
   */
  public static SetMultimap<String, String> grants(Iterable<? extends JsonNode> claims)
      throws JsonProcessingException {
    SetMultimap<String, String> holders = HashMultimap.create();
    for (JsonNode claim : claims) {
      String name =
          claim.at("/metadata/namespace").asText() + "/" + claim.at("/metadata/name").asText();
      if (claim.at("/status/driverName").asText().equals(Binaries.DRIVER_NAME)) {
        for (JsonNode device : ClusterProbe.handle(claim).path("devices")) {
          slices(device).forEach(slice -> holders.put(slice, name));
        }
      }
    }
    return holders;
  }

  private static Stream<String> slices(JsonNode device) {
    if (device.has("memory") || device.path("held").asBoolean()) {
      return Stream.of();
    }
    boolean whole = device.path("profile").isMissingNode();
    String gpu = device.path(whole ? "uuid" : "parent").asText();
    int start = device.path("at").path(0).asInt();
    int size = whole ? MEMORY_SLICES : device.path("at").path(1).asInt();
    return device.has("ci")
        ? Stream.of()
        : IntStream.range(start, start + size).mapToObj(slice -> gpu + "/" + slice);
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
              .map(gpu -> "GPU %s has the holders %s".formatted(name(gpu.getKey()), gpu.getValue()))
              .collect(toImmutableSet()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      shared.add("cannot look: " + e);
    }
  }

  private static String name(String slice) {
    return slice.replaceFirst("/.*", "");
  }

  /** Looks no more. */
  public void stop() throws InterruptedException {
    looking.shutdown();
    looking.awaitTermination(1, TimeUnit.MINUTES);
  }
}
