package io.gpudra.controller.kube;

import io.gpudra.controller.loop.ControllerDelays;
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
 * The last heartbeat of a node's plugin, by our own monotonic clock. The node's clock is only
 * compared with other nodes' clocks, and only until we have seen a change.
 *
 * @param report the last report, parsed once, since it is evaluated every second
 * @param nanos when we saw the last change, or the object for the first time
 * @param at the same moment as wall-clock time
 * @param changed whether we have seen a change
 * @param stoppedNanos when we saw that the plugin stopped; empty if it serves, or had stopped
 *     before
 */
record LastHeartbeat(
    HeartbeatReport report, long nanos, Instant at, boolean changed, Optional<Long> stoppedNanos) {

  private static final String STOPPED = "Stopped";
  private static final int INTERVALS_BEHIND_THE_OTHERS = 5;

  /**
   * A report and its times.
   *
   * @param heartbeat by the node's clock
   */
  record HeartbeatReport(NodeInventory object, Optional<Instant> heartbeat, Duration interval) {
    private static HeartbeatReport by(NodeInventory object) {
      Optional<NodeInventoryStatus> status = Optional.ofNullable(object.status());
      return new HeartbeatReport(
          object,
          status.flatMap(NodeInventoryStatus::heartbeat),
          status.map(NodeInventoryStatus::heartbeatInterval).orElse(Duration.ZERO));
    }
  }

  /** The object is seen for the first time. */
  static LastHeartbeat first(NodeInventory object, long nanos, Instant at) {
    return new LastHeartbeat(HeartbeatReport.by(object), nanos, at, false, Optional.empty());
  }

  /** Accepts a new version; only the plugin's own fields count as a change. */
  LastHeartbeat next(NodeInventory now, long nanos, Instant at, Optional<Long> stopped) {
    HeartbeatReport saysNow = HeartbeatReport.by(now);
    return isNews(now)
        ? new LastHeartbeat(saysNow, nanos, at, true, stopped)
        : new LastHeartbeat(saysNow, this.nanos, this.at, changed, stoppedNanos);
  }

  /** Whether the plugin has written the object since, even if only a heartbeat. */
  boolean isNews(NodeInventory now) {
    return !Objects.equals(object().status(), now.status());
  }

  /** The state of the service that the plugin reports, at this time. */
  Service serviceAt(Service claimed, long now, Optional<Instant> median) {
    if (claimed instanceof Service.NotReady notReady) {
      return stopping(notReady, now) ? new Service.Serving() : notReady;
    }
    if (!(claimed instanceof Service.Serving)) {
      return claimed;
    }
    if (now - nanos > report.interval().multipliedBy(5).dividedBy(2).toNanos()) {
      return new Service.Stale(at);
    }
    return behind(median).<Service>map(Service.Stale::new).orElse(claimed);
  }

  private boolean stopping(Service.NotReady notReady, long now) {
    return isStopped(notReady)
        && stoppedNanos
            .filter(since -> now - since < ControllerDelays.STOPPED_PLUGIN.toNanos())
            .isPresent();
  }

  /** The heartbeat, when it is far behind those of other nodes. */
  private Optional<Instant> behind(Optional<Instant> median) {
    if (changed) {
      return Optional.empty();
    }
    Duration allowed = report.interval().multipliedBy(INTERVALS_BEHIND_THE_OTHERS);
    return heartbeat()
        .filter(mine -> median.filter(m -> mine.plus(allowed).isBefore(m)).isPresent());
  }

  NodeInventory object() {
    return report.object();
  }

  /** The heartbeat by the node's clock. */
  Optional<Instant> heartbeat() {
    return report.heartbeat();
  }

  /**
   * The median of the nodes' clocks: a single fast clock makes no other node stale. Of two clocks
   * it is the older one.
   */
  static Optional<Instant> median(Stream<Instant> heartbeats) {
    List<Instant> sorted = heartbeats.sorted().toList();
    return sorted.isEmpty() ? Optional.empty() : Optional.of(sorted.get((sorted.size() - 1) / 2));
  }

  static boolean isStopped(Service service) {
    return service instanceof Service.NotReady notReady
        && notReady.conditionReason().equals(STOPPED);
  }
}
