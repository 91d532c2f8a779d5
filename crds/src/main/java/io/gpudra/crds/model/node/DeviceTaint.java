package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableSet;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reason to keep claims away from a GPU or from one MIG device of it, with the meaning of node
 * taints.
 *
 * @param value empty when there is none
 * @param reason for people; empty when none was given
 * @param since the time when the taint was added, as far as it is known
 * @param until the time when the taint expires by itself
 */
public record DeviceTaint(
    String key,
    String value,
    Effect effect,
    String reason,
    Optional<Instant> since,
    Optional<Instant> until) {

  /** The effect on claims that do not tolerate the taint. */
  public enum Effect {
    /** No new allocations. */
    NO_SCHEDULE("NoSchedule"),
    /** No new allocations, and pods that use the device are evicted. */
    NO_EXECUTE("NoExecute");

    private final String text;

    Effect(String text) {
      this.text = text;
    }

    /** The text that users write. */
    public String text() {
      return text;
    }

    /** The effect of this name, if there is one. */
    public static Optional<Effect> of(@Nullable String text) {
      return Arrays.stream(values()).filter(effect -> effect.text.equals(text)).findFirst();
    }
  }

  /** The beginning of the reason of a foreign use, if a device plugin uses the GPU. */
  public static final String DEVICE_PLUGIN = "a device plugin hands out";

  private static final String LOST = "lost";
  private static final String FOREIGN_USE = "foreign-use";

  /** Last parts of the keys of taints that plugins put on GPUs (api.md 4.2). */
  private static final ImmutableSet<String> OF_HEALTH =
      ImmutableSet.of("xid", "ecc", LOST, "thermal", "fabric", FOREIGN_USE);

  /** Whether the taint reports that the GPU is unhealthy or in foreign use. */
  public boolean concernsHealth() {
    return OF_HEALTH.contains(lastPartOfKey());
  }

  /** Whether the taint reports that the GPU fell off its bus. */
  public boolean concernsLoss() {
    return LOST.equals(lastPartOfKey());
  }

  /** Whether the taint reports that a device plugin hands out the GPU, too. */
  public boolean concernsDevicePlugin() {
    return FOREIGN_USE.equals(lastPartOfKey()) && reason.startsWith(DEVICE_PLUGIN);
  }

  private String lastPartOfKey() {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  /** Whether the taint still holds. */
  public boolean at(Instant now) {
    return until.filter(end -> !end.isAfter(now)).isEmpty();
  }
}
