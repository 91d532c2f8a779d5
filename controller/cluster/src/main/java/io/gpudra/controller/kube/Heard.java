package io.gpudra.controller.kube;

import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.model.node.Inventory.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * When a node's plugin was last heard of, by our own monotonic clock: the node's clock only ever is
 * compared with other nodes' clocks, and only until the first change was seen.
 *
 * @param said what the object says, read once: every node's is looked at every second
 * @param nanos when the object changed last before our eyes, or was seen first
 * @param at the same moment for people
 * @param changed whether a change was seen, not just the object
 * @param stoppedNanos when a plugin that served said it stopped; empty when it serves, or when it
 *     had stopped before we came
 */
record Heard(Said said, long nanos, Instant at, boolean changed, Optional<Long> stoppedNanos) {

  /** A plugin that stops is usually replaced within seconds: a roll-out must cause no herd. */
  private static final Duration STOP_GRACE = Duration.ofSeconds(30);

  private static final String STOPPED = "Stopped";
  private static final int INTERVALS_BEHIND_THE_OTHERS = 5;

  /**
   * An object and its times.
   *
   * @param heartbeat by the node's clock
   */
  record Said(NodeInventory object, Optional<Instant> heartbeat, Duration interval) {
    private static Said by(NodeInventory object) {
      Optional<NodeInventoryStatus> status = Optional.ofNullable(object.status());
      return new Said(
          object,
          status.flatMap(NodeInventoryStatus::heartbeat),
          status.map(NodeInventoryStatus::heartbeatInterval).orElse(Duration.ZERO));
    }
  }

  /** First sight of an object. */
  static Heard first(NodeInventory object, long nanos, Instant at) {
    return new Heard(Said.by(object), nanos, at, false, Optional.empty());
  }

  /** The object as it is now; what is not the plugin's part of it does not count. */
  Heard next(NodeInventory now, long nanos, Instant at, Optional<Long> stopped) {
    Said saysNow = Said.by(now);
    return isNews(now)
        ? new Heard(saysNow, nanos, at, true, stopped)
        : new Heard(saysNow, this.nanos, this.at, changed, stoppedNanos);
  }

  /** Whether the plugin has written it since, if only to say that it lives. */
  boolean isNews(NodeInventory now) {
    return !Objects.equals(object().status(), now.status());
  }

  /** How a service that the plugin claims looks at this time. */
  Service judge(Service claimed, long now, Optional<Instant> median) {
    if (claimed instanceof Service.NotReady notReady) {
      return stopping(notReady, now) ? new Service.Serving() : notReady;
    }
    if (!(claimed instanceof Service.Serving)) {
      return claimed;
    }
    if (now - nanos > said.interval().multipliedBy(5).dividedBy(2).toNanos()) {
      return new Service.Stale(at);
    }
    return behind(median).<Service>map(Service.Stale::new).orElse(claimed);
  }

  private boolean stopping(Service.NotReady notReady, long now) {
    return saysStopped(notReady)
        && stoppedNanos.filter(since -> now - since < STOP_GRACE.toNanos()).isPresent();
  }

  /** The heartbeat, when it is far behind those of other nodes. */
  private Optional<Instant> behind(Optional<Instant> median) {
    if (changed) {
      return Optional.empty();
    }
    Duration allowed = said.interval().multipliedBy(INTERVALS_BEHIND_THE_OTHERS);
    return heartbeat()
        .filter(mine -> median.filter(m -> mine.plus(allowed).isBefore(m)).isPresent());
  }

  NodeInventory object() {
    return said.object();
  }

  /** By the node's clock. */
  Optional<Instant> heartbeat() {
    return said.heartbeat();
  }

  /**
   * The time that half of the clocks have reached: one clock that is fast, as the newest may be,
   * makes nobody stale. Of two it is the older one.
   */
  static Optional<Instant> median(Stream<Instant> heartbeats) {
    List<Instant> sorted = heartbeats.sorted().toList();
    return sorted.isEmpty() ? Optional.empty() : Optional.of(sorted.get((sorted.size() - 1) / 2));
  }

  static boolean saysStopped(Service service) {
    return service instanceof Service.NotReady notReady
        && notReady.conditionReason().equals(STOPPED);
  }
}
