package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with GPUs, as taints that keep new claims away (nvidia.md 6). A fatal error stays
 * until the node boots; a GPU that was lost is back when it has answered for a while.
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

  /** Of looks at a GPU that was lost and answers again. */
  private static final int PROBATION = 3;

  private final String driver;
  private final ImmutableSet<Integer> ignored;
  private final HealthFile file;
  private final Clock clock;

  // Guarded by this: taints by key, and looks, by UUID.
  private final Map<String, Map<String, DeviceTaint>> taints;
  private final Map<String, Integer> answered = new HashMap<>();

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
    return put(uuid, "xid", String.valueOf(number), reason);
  }

  synchronized boolean doubleBitError(String uuid) {
    return put(uuid, "ecc", "", "double-bit ECC error");
  }

  /** Who hands it out, too, if anybody does: two masters would give it to two pods. */
  synchronized void usedByOthers(String uuid, Optional<String> how) {
    if (how.isPresent()) {
      put(uuid, "foreign-use", "", how.get());
    } else if (taints.containsKey(uuid)
        && Objects.requireNonNull(taints.get(uuid)).remove("foreign-use") != null) {
      file.save(taints);
    }
  }

  /** It did not answer. */
  synchronized boolean lost(String uuid, String why) {
    answered.remove(uuid);
    return put(uuid, "lost", "", why);
  }

  /** It answered. */
  synchronized boolean answers(String uuid) {
    Map<String, DeviceTaint> known = taints.getOrDefault(uuid, Map.of());
    if (!known.containsKey("lost") || answered.merge(uuid, 1, Integer::sum) < PROBATION) {
      return false;
    }
    log.warn("GPU is back gpu={}", uuid);
    answered.remove(uuid);
    known.remove("lost");
    file.save(taints);
    return true;
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
