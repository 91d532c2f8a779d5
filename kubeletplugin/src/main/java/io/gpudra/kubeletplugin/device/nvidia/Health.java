package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.Ascii;
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
 * What is wrong with GPUs, as taints that keep new claims away (nvidia.md 6). An error that a reset
 * or a boot mends stays until then, and may drive pods away; a condition is over when it was not
 * seen for a while.
 */
public final class Health {

  private static final Logger log = LoggerFactory.getLogger(Health.class);

  private static final String XID = key(EvictOn.XID);
  private static final String ECC = key(EvictOn.ECC);

  /** Looks that must all find a GPU well before it counts as well. */
  private static final int PROBATION = 3;

  /** The value of the taint of a GPU that good looks do not bring back. */
  private static final String FOR_GOOD = "reset-required";

  /** What comes and goes, as the key of its taint says it. */
  enum Condition {
    LOST(Health.key(EvictOn.LOST)),
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

  // Guarded by this, by UUID: taints by key, and looks that found it well.
  private final Map<String, Map<String, DeviceTaint>> taints;
  private final Table<String, Condition, Integer> well = HashBasedTable.create();

  /**
   * What an earlier process of this boot found is wrong still.
   *
   * @param driver whose taints tell of it
   * @param ignored XIDs that say nothing about a GPU, beside those that applications cause
   * @param evictOn what pods must leave a GPU for
   */
  public Health(
      String driver,
      ImmutableSet<Integer> ignored,
      ImmutableSet<EvictOn> evictOn,
      HealthFile file,
      Clock clock) {
    this.driver = driver;
    this.ignored = ignored;
    this.evicting = evictOn.stream().map(Health::key).collect(toImmutableSet());
    this.file = file;
    this.taints = file.load();
    this.clock = clock;
  }

  private static String key(EvictOn what) {
    return Ascii.toLowerCase(what.name());
  }

  /**
   * Answers whether it changes anything. What happened in one MIG device keeps new claims from the
   * GPU, and drives no pod from the others.
   */
  synchronized boolean xid(String uuid, int number, Origin origin) {
    Xid xid = Xid.of(number);
    if (ignored.contains(number) || !xid.action().taints()) {
      log.info(
          "XID is no reason to taint the GPU gpu={} reason=\"{}\"", uuid, origin.told(xid.text()));
      return false;
    }
    Effect effect = xid.action().evicts() ? origin.worst() : Effect.NO_SCHEDULE;
    return !isWorse(uuid, XID, effect)
        && put(uuid, new Wrong(XID, String.valueOf(number), effect, origin.told(xid.text())));
  }

  synchronized boolean doubleBitError(String uuid, Origin origin) {
    return !isWorse(uuid, ECC, origin.worst())
        && put(uuid, new Wrong(ECC, "", origin.worst(), origin.told("double-bit ECC error")));
  }

  /** What was told first and drives pods away is not forgotten for something less. */
  private boolean isWorse(String uuid, String key, Effect than) {
    DeviceTaint known = taints.getOrDefault(uuid, Map.of()).get(key);
    return known != null && known.effect().compareTo(than) > 0;
  }

  /**
   * It fell off the bus, and only a reset or a boot brings it back; answers whether that is news.
   */
  synchronized boolean lost(String uuid) {
    well.remove(uuid, Condition.LOST);
    return put(
        uuid,
        new Wrong(
            Condition.LOST.key,
            FOR_GOOD,
            Effect.NO_EXECUTE,
            "GPU is lost until it is reset or the node boots"));
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
      var unused = put(uuid, Wrong.forAWhile(condition, reason.get()));
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
      var unused = put(uuid, Wrong.forAWhile(Condition.LOST, "GPU was lost and is on probation"));
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

  /**
   * One thing that is wrong.
   *
   * @param effect that it has where pods are to leave for it
   */
  private record Wrong(String key, String value, Effect effect, String reason) {
    static Wrong forAWhile(Condition condition, String reason) {
      return new Wrong(condition.key, "", Effect.NO_SCHEDULE, reason);
    }

    boolean isKnownAs(DeviceTaint taint) {
      return taint.value().equals(value) && taint.effect() == effect;
    }
  }

  private boolean put(String uuid, Wrong wrong) {
    Map<String, DeviceTaint> known = taints.computeIfAbsent(uuid, gpu -> new TreeMap<>());
    if (Optional.ofNullable(known.get(wrong.key())).filter(wrong::isKnownAs).isPresent()) {
      return false;
    }
    log.error("GPU is unhealthy gpu={} reason=\"{}\"", uuid, wrong.reason());
    known.put(
        wrong.key(),
        new DeviceTaint(
            driver + "/" + wrong.key(),
            wrong.value(),
            wrong.effect(),
            wrong.reason(),
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
    return taints.getOrDefault(uuid, Map.of()).entrySet().stream()
        .map(taint -> evicting.contains(taint.getKey()) ? taint.getValue() : mild(taint.getValue()))
        .collect(toImmutableList());
  }

  private static DeviceTaint mild(DeviceTaint taint) {
    return new DeviceTaint(
        taint.key(),
        taint.value(),
        Effect.NO_SCHEDULE,
        taint.reason(),
        taint.since(),
        taint.until());
  }
}
