package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.stream.Collectors.toMap;

import com.google.common.base.Ascii;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.collect.Table;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Problems of GPUs and MIG devices, as taints that keep new claims away (nvidia.md 6). An error
 * that needs a reset or a boot stays until then, and may evict pods. A condition ends when it was
 * not found for a while. An error of a MIG device that is gone counts for the GPU: another device
 * would be created in its place.
 */
public final class GpuHealth {

  private static final Logger log = LoggerFactory.getLogger(GpuHealth.class);

  private static final String XID = key(EvictionTrigger.XID);
  private static final String ECC = key(EvictionTrigger.ECC);

  private static final Comparator<DeviceTaint> FIRST =
      Comparator.<DeviceTaint, Instant>comparing(taint -> taint.since().orElse(Instant.MAX))
          .thenComparing(DeviceTaint::reason);

  /** More MIG devices than one GPU can have; errors of further ones count for the GPU. */
  private static final int MAX_MIG_DEVICES = 64;

  /** The number of polls in a row without a problem before a condition ends. */
  private static final int PROBATION = 3;

  /** The value of the taint of a GPU that does not recover by itself. */
  private static final String RESET_REQUIRED = "reset-required";

  /** Transient conditions, named by the keys of their taints. */
  enum Condition {
    LOST(GpuHealth.key(EvictionTrigger.LOST)),
    THERMAL("thermal"),
    FABRIC("fabric"),
    FOREIGN_USE("foreign-use");

    private final String key;

    Condition(String key) {
      this.key = key;
    }
  }

  private final String driver;
  private final ImmutableSet<Integer> ignored;
  private final ImmutableSet<String> evicting;
  private final HealthFile file;
  private final Clock clock;

  // Guarded by this, by UUID: taints of GPUs and MIG devices by key, the places of those MIG
  // devices, and the polls in a row without a problem.
  private final Map<String, Map<String, DeviceTaint>> taints;
  private final Map<String, HealthFile.Place> places;
  private final Table<String, Condition, Integer> well = HashBasedTable.create();

  /**
   * Starts with the problems that an earlier process of this boot found.
   *
   * @param driver whose taints report them
   * @param ignored XIDs to ignore, in addition to those that applications cause
   * @param evictOn problems for which pods must leave a GPU
   */
  public GpuHealth(
      String driver,
      ImmutableSet<Integer> ignored,
      ImmutableSet<EvictionTrigger> evictOn,
      HealthFile file,
      Clock clock) {
    this.driver = driver;
    this.ignored = ignored;
    this.evicting = evictOn.stream().map(GpuHealth::key).collect(toImmutableSet());
    this.file = file;
    HealthFile.Known known = file.load();
    this.taints = known.taints();
    this.places = known.places();
    this.clock = clock;
  }

  private static String key(EvictionTrigger what) {
    return Ascii.toLowerCase(what.name());
  }

  /** Whether an XID is a problem of a GPU. */
  boolean isHandled(int number) {
    return !ignored.contains(number) && Xid.of(number).action().taints();
  }

  /** Returns whether this changes a taint. */
  synchronized boolean xid(String uuid, int number, ErrorOrigin origin) {
    Xid xid = Xid.of(number);
    if (!isHandled(number)) {
      log.info(
          "XID is no reason to taint the GPU gpu={} reason=\"{}\"",
          uuid,
          origin.describe(xid.text()));
      return false;
    }
    Effect effect = xid.action().evicts() ? Effect.NO_EXECUTE : Effect.NO_SCHEDULE;
    return happened(uuid, origin, new Fault(XID, String.valueOf(number), effect, xid.text()));
  }

  synchronized boolean doubleBitError(String uuid, ErrorOrigin origin) {
    return happened(uuid, origin, new Fault(ECC, "", Effect.NO_EXECUTE, "double-bit ECC error"));
  }

  /** An error in a GPU instance without known MIG devices evicts no pod from the others. */
  private boolean happened(String gpu, ErrorOrigin origin, Fault fault) {
    if (origin instanceof ErrorOrigin.MigDevices in && hasRoom(gpu, in.names().keySet())) {
      in.names().forEach((uuid, name) -> places.put(uuid, new HealthFile.Place(gpu, name)));
      return in.names().keySet().stream().filter(uuid -> worsens(uuid, fault)).count() > 0;
    }
    return worsens(
        gpu,
        origin instanceof ErrorOrigin.Anywhere
            ? fault
            : new Fault(
                fault.key(), fault.value(), Effect.NO_SCHEDULE, origin.describe(fault.reason())));
  }

  private boolean hasRoom(String gpu, Set<String> more) {
    return Sets.union(migDevices(gpu), more).size() <= MAX_MIG_DEVICES;
  }

  /** The MIG devices of a GPU that had errors, also those that are gone. */
  private ImmutableSet<String> migDevices(String gpu) {
    return places.entrySet().stream()
        .filter(place -> place.getValue().gpu().equals(gpu))
        .map(Map.Entry::getKey)
        .collect(toImmutableSet());
  }

  /** A taint that evicts pods is not replaced by a less severe one. */
  private boolean worsens(String uuid, Fault fault) {
    DeviceTaint known = taints.getOrDefault(uuid, Map.of()).get(fault.key());
    boolean less = known != null && known.effect().compareTo(fault.effect()) > 0;
    return !less && put(uuid, fault);
  }

  /**
   * Records that the GPU fell off the bus, and only a reset or a boot brings it back; returns
   * whether this changes a taint.
   */
  synchronized boolean lost(String uuid) {
    well.remove(uuid, Condition.LOST);
    return put(
        uuid,
        new Fault(
            Condition.LOST.key,
            RESET_REQUIRED,
            Effect.NO_EXECUTE,
            "GPU is lost until it is reset or the node boots"));
  }

  synchronized boolean isLost(String uuid) {
    DeviceTaint lost = taints.getOrDefault(uuid, Map.of()).get(Condition.LOST.key);
    return lost != null && lost.value().equals(RESET_REQUIRED);
  }

  /** Records whether a poll of a GPU found a condition; a poll does not end the loss of a GPU. */
  synchronized void record(String uuid, Condition condition, Optional<String> reason) {
    if (condition == Condition.LOST && isLost(uuid)) {
      return;
    }
    if (reason.isPresent()) {
      well.remove(uuid, condition);
      var unused = put(uuid, Fault.forAWhile(condition, reason.get()));
    } else if (isTainted(uuid, condition.key)) {
      int looks = 1 + Optional.ofNullable(well.get(uuid, condition)).orElse(0);
      well.put(uuid, condition, looks);
      if (looks >= PROBATION) {
        well.remove(uuid, condition);
        remove(uuid, condition.key);
      }
    }
  }

  /** The GPU was reset, so earlier errors no longer count. */
  synchronized void reset(String uuid) {
    for (String key : ImmutableList.of(XID, ECC)) {
      if (isTainted(uuid, key)) {
        remove(uuid, key);
      }
    }
    forget(migDevices(uuid));
    if (isLost(uuid)) {
      var unused = put(uuid, Fault.forAWhile(Condition.LOST, "GPU was lost and is on probation"));
    }
  }

  private void forget(ImmutableSet<String> migDevices) {
    if (!migDevices.isEmpty()) {
      log.warn("MIG devices recovered migDevices={}", migDevices);
      taints.keySet().removeAll(migDevices);
      places.keySet().removeAll(migDevices);
      save();
    }
  }

  private void save() {
    file.save(new HealthFile.Known(taints, places));
  }

  private boolean isTainted(String uuid, String key) {
    return taints.getOrDefault(uuid, Map.of()).containsKey(key);
  }

  private void remove(String uuid, String key) {
    log.warn("GPU recovered gpu={} after={}", uuid, key);
    Objects.requireNonNull(taints.get(uuid)).remove(key);
    save();
  }

  /**
   * One problem.
   *
   * @param effect of the taint if pods are to leave for this problem
   */
  private record Fault(String key, String value, Effect effect, String reason) {
    static Fault forAWhile(Condition condition, String reason) {
      return new Fault(condition.key, "", Effect.NO_SCHEDULE, reason);
    }

    boolean isKnownAs(DeviceTaint taint) {
      return taint.value().equals(value) && taint.effect() == effect;
    }
  }

  private boolean put(String uuid, Fault fault) {
    Map<String, DeviceTaint> known = taints.computeIfAbsent(uuid, gpu -> new TreeMap<>());
    if (Optional.ofNullable(known.get(fault.key())).filter(fault::isKnownAs).isPresent()) {
      return false;
    }
    log.error("GPU is unhealthy {} reason=\"{}\"", describe(uuid), fault.reason());
    known.put(
        fault.key(),
        new DeviceTaint(
            driver + "/" + fault.key(),
            fault.value(),
            fault.effect(),
            fault.reason(),
            Optional.of(now()),
            Optional.empty()));
    save();
    return true;
  }

  private String describe(String uuid) {
    HealthFile.Place place = places.get(uuid);
    return place == null
        ? "gpu=" + uuid
        : "gpu=%s migDevice=%s".formatted(place.gpu(), place.name());
  }

  /** Times are written in seconds. */
  private Instant now() {
    return Instant.ofEpochSecond(clock.instant().getEpochSecond());
  }

  /** The GPU with its taints, and each of its MIG devices with its own. */
  synchronized Gpu tainted(Gpu gpu) {
    ImmutableSet<String> inMigDevices = migDevices(gpu.uuid());
    Gpu cut =
        inMigDevices.isEmpty()
            ? gpu
            : gpu.with(
                gpu.mig()
                    .with(
                        gpu.mig().devices().stream()
                            .map(device -> device.with(taints(device.uuid())))
                            .collect(toImmutableList())));
    ImmutableList<DeviceTaint> taints = taints(gpu, inMigDevices);
    return taints.isEmpty() ? cut : cut.with(taints);
  }

  /** One taint for each key: its own, or else the first one of its MIG devices that are gone. */
  private ImmutableList<DeviceTaint> taints(Gpu gpu, Set<String> inMigDevices) {
    ImmutableList<DeviceTaint> own = taints(gpu.uuid());
    ImmutableSet<String> there =
        gpu.mig().devices().stream().map(MigState.Device::uuid).collect(toImmutableSet());
    return Stream.concat(
            own.stream(),
            Sets.difference(inMigDevices, there).stream().flatMap(this::milderTaints).sorted(FIRST))
        .collect(toMap(DeviceTaint::key, taint -> taint, (first, second) -> first, TreeMap::new))
        .values()
        .stream()
        .collect(toImmutableList());
  }

  private Stream<DeviceTaint> milderTaints(String migDevice) {
    String name = Objects.requireNonNull(places.get(migDevice)).name();
    return taints(migDevice).stream()
        .map(
            taint ->
                mild(taint, "%s in MIG device %s that is gone".formatted(taint.reason(), name)));
  }

  /** The taints of a GPU or of a MIG device. */
  synchronized ImmutableList<DeviceTaint> taints(String uuid) {
    return taints.getOrDefault(uuid, Map.of()).entrySet().stream()
        .map(
            taint ->
                evicting.contains(taint.getKey())
                    ? taint.getValue()
                    : mild(taint.getValue(), taint.getValue().reason()))
        .collect(toImmutableList());
  }

  private static DeviceTaint mild(DeviceTaint taint, String reason) {
    return new DeviceTaint(
        taint.key(), taint.value(), Effect.NO_SCHEDULE, reason, taint.since(), taint.until());
  }
}
