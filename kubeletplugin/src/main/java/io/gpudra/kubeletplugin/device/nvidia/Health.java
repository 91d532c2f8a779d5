package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Table;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with GPUs, as taints that keep new claims away (nvidia.md 6). An error stays until
 * the GPU is reset or the node boots; a condition is over when it was not seen for a while.
 */
public final class Health {

  private static final Logger log = LoggerFactory.getLogger(Health.class);

  /** What applications do to themselves. */
  private static final ImmutableSet<Integer> OF_APPLICATIONS =
      ImmutableSet.of(13, 31, 43, 45, 68, 109);

  private static final Map<Integer, String> MEANINGS =
      Map.of(
          48, "double-bit ECC error",
          63, "row remapping",
          64, "row remapping failed",
          74, "NVLink error",
          79, "fell off the bus",
          94, "contained ECC error",
          95, "uncontained ECC error",
          119, "GSP does not answer",
          120, "GSP error");

  private static final String XID = "xid";
  private static final String ECC = "ecc";

  /** Looks that must all find a GPU well before it counts as well. */
  private static final int PROBATION = 3;

  /** The value of the taint of a GPU that good looks do not bring back. */
  private static final String FOR_GOOD = "reset-required";

  /** What comes and goes, as the key of its taint says it. */
  enum Condition {
    LOST("lost"),
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
  private final HealthFile file;
  private final Clock clock;

  // Guarded by this, by UUID: taints by key, and looks that found it well.
  private final Map<String, Map<String, DeviceTaint>> taints;
  private final Table<String, Condition, Integer> well = HashBasedTable.create();

  /**
   * What an earlier process of this boot found is wrong still.
   *
   * @param driver whose taints tell of it
   * @param more XIDs that say nothing about a GPU, beside those that applications cause
   */
  public Health(String driver, ImmutableSet<Integer> more, HealthFile file, Clock clock) {
    this.driver = driver;
    this.file = file;
    this.taints = file.load();
    this.ignored = ImmutableSet.<Integer>builder().addAll(OF_APPLICATIONS).addAll(more).build();
    this.clock = clock;
  }

  /** Answers whether it changes anything. */
  synchronized boolean xid(String uuid, int number) {
    if (ignored.contains(number)) {
      log.info("XID of an application gpu={} xid={}", uuid, number);
      return false;
    }
    String meaning = MEANINGS.getOrDefault(number, "");
    String reason = "XID " + number + (meaning.isEmpty() ? "" : " (%s)".formatted(meaning));
    return put(uuid, XID, String.valueOf(number), reason);
  }

  synchronized boolean doubleBitError(String uuid) {
    return put(uuid, ECC, "", "double-bit ECC error");
  }

  /**
   * It fell off the bus, and only a reset or a boot brings it back; answers whether that is news.
   */
  synchronized boolean lost(String uuid) {
    well.remove(uuid, Condition.LOST);
    return put(
        uuid, Condition.LOST.key, FOR_GOOD, "GPU is lost until it is reset or the node boots");
  }

  synchronized boolean isLost(String uuid) {
    DeviceTaint lost = taints.getOrDefault(uuid, Map.of()).get(Condition.LOST.key);
    return lost != null && lost.value().equals(FOR_GOOD);
  }

  /** A look at a GPU found a condition, or did not, which says nothing of one that is lost. */
  synchronized void sees(String uuid, Condition condition, Optional<String> reason) {
    if (condition == Condition.LOST && isLost(uuid)) {
      return;
    }
    if (reason.isPresent()) {
      well.remove(uuid, condition);
      var unused = put(uuid, condition.key, "", reason.get());
    } else if (isTainted(uuid, condition.key)) {
      int looks = 1 + Optional.ofNullable(well.get(uuid, condition)).orElse(0);
      well.put(uuid, condition, looks);
      if (looks >= PROBATION) {
        well.remove(uuid, condition);
        remove(uuid, condition.key);
      }
    }
  }

  /** Errors of before say nothing about it any more. */
  synchronized void reset(String uuid) {
    for (String key : ImmutableList.of(XID, ECC)) {
      if (isTainted(uuid, key)) {
        remove(uuid, key);
      }
    }
    if (isLost(uuid)) {
      var unused = put(uuid, Condition.LOST.key, "", "GPU was lost and is on probation");
    }
  }

  private boolean isTainted(String uuid, String key) {
    return taints.getOrDefault(uuid, Map.of()).containsKey(key);
  }

  private void remove(String uuid, String key) {
    log.warn("GPU is well again gpu={} after={}", uuid, key);
    Objects.requireNonNull(taints.get(uuid)).remove(key);
    file.save(taints);
  }

  private boolean put(String uuid, String key, String value, String reason) {
    Map<String, DeviceTaint> known = taints.computeIfAbsent(uuid, gpu -> new TreeMap<>());
    if (known.containsKey(key) && known.get(key).value().equals(value)) {
      return false;
    }
    log.error("GPU is unhealthy gpu={} reason=\"{}\"", uuid, reason);
    known.put(
        key,
        new DeviceTaint(
            driver + "/" + key,
            value,
            Effect.NO_SCHEDULE,
            reason,
            Optional.of(now()),
            Optional.empty()));
    file.save(taints);
    return true;
  }

  /** Times are written in seconds. */
  private Instant now() {
    return Instant.ofEpochSecond(clock.instant().getEpochSecond());
  }

  synchronized ImmutableList<DeviceTaint> taints(String uuid) {
    return taints.getOrDefault(uuid, Map.of()).values().stream().collect(toImmutableList());
  }
}
