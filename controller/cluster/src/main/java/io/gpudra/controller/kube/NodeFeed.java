package io.gpudra.controller.kube;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.kube.mapping.ObjectMetadata;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins nodes with their inventories and their age, and reports changes, each once, after both
 * first lists are complete. One lock guards the state and the order of reports.
 */
final class NodeFeed {
  private static final Logger log = LoggerFactory.getLogger(NodeFeed.class);
  static final NodeInventory NONE = new NodeInventory(null, null, null, null, null);

  private final KubeSettings settings;
  private final LongSupplier nanoTime;
  private final NodeListener listener;
  private final Consumer<MalformedObject> malformed;
  private final Map<String, Entry> entries = new HashMap<>();
  private Optional<Instant> median = Optional.empty();
  private boolean nodesListed;
  private boolean inventoriesListed;

  /** State of one node name; guarded like its map. */
  private static final class Entry {
    @Nullable NodeState node;
    @Nullable LastHeartbeat lastHeartbeat;
    @Nullable Inventory published;
    Reading reading;

    Entry(Reading reading) {
      this.reading = reading;
    }
  }

  /**
   * @param nanoTime monotonic clock for all decisions about age
   * @param malformed receives inventories that could not be read completely
   */
  NodeFeed(
      KubeSettings settings,
      LongSupplier nanoTime,
      NodeListener listener,
      Consumer<MalformedObject> malformed) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.listener = listener;
    this.malformed = malformed;
  }

  synchronized void node(NodeState state) {
    Entry entry = entry(state.name());
    entry.node = state;
    // The inventory is not read again: a node may change at any rate.
    entry.reading = new Reading(entry.reading.inventory().on(state), entry.reading.problems());
    publish(entry);
  }

  synchronized void nodeGone(String name) {
    Entry entry = entry(name);
    entry.node = null;
    if (entry.published != null) {
      entry.published = null;
      listener.nodeGone().accept(name);
    }
    forget(name, entry);
  }

  synchronized void inventory(String name, NodeInventory object) {
    Entry entry = entry(name);
    boolean served = entry.reading.inventory().service() instanceof Inventory.Service.Serving;
    long now = nanoTime.getAsLong();
    LastHeartbeat before = entry.lastHeartbeat;
    entry.lastHeartbeat = LastHeartbeat.first(object, now, settings.clock().instant());
    read(name, entry);
    if (before != null) {
      boolean stopped = LastHeartbeat.isStopped(entry.reading.inventory().service());
      Optional<Long> since = served ? Optional.of(now) : before.stoppedNanos();
      entry.lastHeartbeat =
          before.next(object, now, settings.clock().instant(), stopped ? since : Optional.empty());
    }
    publish(entry);
    if (entry.published != null && (before == null || before.isNews(object))) {
      listener.nodeSpoke().accept(name);
    }
  }

  synchronized void inventoryGone(String name) {
    Entry entry = entry(name);
    entry.lastHeartbeat = null;
    read(name, entry);
    publish(entry);
    forget(name, entry);
  }

  /** All nodes of the first list were reported. */
  synchronized void nodesListed() {
    nodesListed = true;
    open();
  }

  /** All inventories of the first list were reported. */
  synchronized void inventoriesListed() {
    inventoriesListed = true;
    open();
  }

  /** Updates ages; to be called about once a second. */
  synchronized void tick() {
    median =
        LastHeartbeat.median(
            entries.values().stream()
                .flatMap(entry -> Optional.ofNullable(entry.lastHeartbeat).stream())
                .flatMap(lastHeartbeat -> lastHeartbeat.heartbeat().stream()));
    entries.values().forEach(this::publish);
  }

  private void open() {
    if (isOpen()) {
      tick();
      if (entries.values().stream().allMatch(entry -> entry.lastHeartbeat == null)) {
        log.warn("no node has published an inventory driver={}", settings.driverName());
      }
    }
  }

  private boolean isOpen() {
    return nodesListed && inventoriesListed;
  }

  private void publish(Entry entry) {
    if (entry.node == null || !isOpen()) {
      return;
    }
    Inventory now = withService(entry);
    Inventory before = entry.published;
    // Also if equal: the same instance is compared faster than an equal copy.
    entry.published = now;
    if (!now.equals(before)) {
      listener.inventoryChanged().accept(now);
    }
  }

  private Inventory withService(Entry entry) {
    Inventory read = entry.reading.inventory().at(settings.clock().instant());
    return entry.lastHeartbeat == null
        ? read
        : read.with(entry.lastHeartbeat.serviceAt(read.service(), nanoTime.getAsLong(), median));
  }

  private void read(String name, Entry entry) {
    ImmutableList<String> before = entry.reading.problems();
    entry.reading = reading(name, entry.node, entry.lastHeartbeat);
    ImmutableList<String> problems = entry.reading.problems();
    if (!problems.isEmpty() && !problems.equals(before)) {
      malformed.accept(malformed(name, uid(entry.lastHeartbeat), problems));
    }
  }

  static MalformedObject malformed(String name, String uid, ImmutableList<String> problems) {
    return new MalformedObject(
        GpuApi.GROUP + "/" + GpuApi.VERSION,
        NodeInventory.KIND,
        "",
        name,
        uid,
        String.join("; ", problems));
  }

  private Reading reading(
      String name, @Nullable NodeState node, @Nullable LastHeartbeat lastHeartbeat) {
    NodeState state = node == null ? unknown(name) : node;
    return InventoryCodec.read(
        lastHeartbeat == null ? NONE : lastHeartbeat.object(), state, settings.driverName());
  }

  private static NodeState unknown(String name) {
    return NodeState.unknown(name);
  }

  private static String uid(@Nullable LastHeartbeat lastHeartbeat) {
    return Optional.ofNullable(lastHeartbeat)
        .flatMap(h -> Optional.ofNullable(h.object().metadata()))
        .map(ObjectMetadata::uid)
        .orElse("");
  }

  private Entry entry(String name) {
    return entries.computeIfAbsent(name, n -> new Entry(reading(n, null, null)));
  }

  private void forget(String name, Entry entry) {
    if (entry.node == null && entry.lastHeartbeat == null) {
      entries.remove(name);
    }
  }
}
