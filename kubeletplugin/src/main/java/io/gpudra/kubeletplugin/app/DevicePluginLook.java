package io.gpudra.kubeletplugin.app;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether a device plugin hands out the same GPUs, which would give one to two pods. That is a call
 * from each node, so it is rarely asked where none has for an hour: one that goes for a moment is
 * soon missed, and soon seen again. One that has registered GPUs with the kubelet is asked for at
 * each look.
 */
final class DevicePluginLook {
  static final Duration PAUSE = Duration.ofSeconds(30);
  static final Duration PAUSE_WHERE_NONE_IS = Duration.ofMinutes(10);
  private static final Duration REMEMBERED = Duration.ofHours(1);

  private static final Optional<ImmutableSet<String>> NONE = Optional.of(ImmutableSet.of());

  private final Supplier<Optional<ImmutableSet<String>>> registered;
  private final Function<ImmutableSet<String>, Optional<Integer>> handedOut;
  private final Consumer<Optional<String>> onConflict;
  private final LongSupplier nanos;
  private OptionalLong seen = OptionalLong.empty();
  private boolean answered;
  private long due;

  /**
   * Nobody is asked yet.
   *
   * @param registered names of the resources of which a device plugin has registered GPUs, as far
   *     as the node tells; empty when that is not known
   * @param handedOut GPUs and parts of them that a device plugin hands out, by these names or known
   *     ones; empty when the API server gives no answer
   * @param onConflict told what is so, each time that is known
   */
  DevicePluginLook(
      Supplier<Optional<ImmutableSet<String>>> registered,
      Function<ImmutableSet<String>, Optional<Integer>> handedOut,
      Consumer<Optional<String>> onConflict,
      LongSupplier nanos) {
    this.registered = registered;
    this.handedOut = handedOut;
    this.onConflict = onConflict;
    this.nanos = nanos;
    this.due = nanos.getAsLong();
  }

  /** Asks, if it is time. */
  synchronized void look() {
    Optional<ImmutableSet<String>> resources = registered.get();
    if (!resources.equals(NONE) || nanos.getAsLong() - due >= 0) {
      handedOut
          .apply(resources.orElse(ImmutableSet.of()))
          .filter(gpus -> gpus > 0 || resources.isPresent())
          .ifPresent(this::see);
    }
  }

  /** Asks until there was an answer; whether there was one. */
  synchronized boolean isAnswered() {
    if (!answered) {
      look();
    }
    return answered;
  }

  private void see(int gpus) {
    answered = true;
    long now = nanos.getAsLong();
    if (gpus > 0) {
      seen = OptionalLong.of(now);
    }
    if (seen.isEmpty() || now - seen.getAsLong() > REMEMBERED.toNanos()) {
      due = now + PAUSE_WHERE_NONE_IS.toNanos();
    }
    onConflict.accept(conflict(gpus));
  }

  private static Optional<String> conflict(int gpus) {
    return gpus == 0
        ? Optional.empty()
        : Optional.of("%s %d GPUs of this node, too".formatted(DeviceTaint.DEVICE_PLUGIN, gpus));
  }
}
