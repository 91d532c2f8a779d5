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
 * Checks whether a device plugin hands out the same GPUs, which would give one GPU to two pods. The
 * check is an API call from each node, so it is rare once an hour has passed without a device
 * plugin. Until then it is frequent, so that a restart of a device plugin is soon noticed. A device
 * plugin that has registered GPUs with the kubelet is looked up each time.
 */
final class DevicePluginProbe {
  static final Duration PAUSE = Duration.ofSeconds(30);
  static final Duration PAUSE_WHERE_NONE_IS = Duration.ofMinutes(10);
  private static final Duration REMEMBERED = Duration.ofHours(1);

  private static final Optional<ImmutableSet<String>> NONE = Optional.of(ImmutableSet.of());
  private static final String UNKNOWN =
      "a device plugin may hand out GPUs of this node, too: the kubelet's checkpoint is too large";

  private final Supplier<Optional<ImmutableSet<String>>> registered;
  private final Function<ImmutableSet<String>, Optional<Integer>> handedOut;
  private final Consumer<Optional<String>> onConflict;
  private final LongSupplier nanos;
  private OptionalLong seen = OptionalLong.empty();
  private boolean answered;
  private long due;

  /**
   * A probe that has made no call yet.
   *
   * @param registered names of resources for which a device plugin has registered GPUs, as far as
   *     the node shows; empty when they are not known, and there may be any
   * @param handedOut number of GPUs and parts that a device plugin hands out under these names or
   *     known ones; empty when the API server does not answer
   * @param onConflict receives each known result
   */
  DevicePluginProbe(
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

  /** Makes the call, if it is due. */
  synchronized void probe() {
    Optional<ImmutableSet<String>> resources = registered.get();
    if (!resources.equals(NONE) || nanos.getAsLong() - due >= 0) {
      handedOut
          .apply(resources.orElse(ImmutableSet.of()))
          .map(gpus -> conflict(gpus, resources.isPresent()))
          .ifPresent(this::see);
    }
  }

  /** Makes the call until there was an answer; returns whether there was one. */
  synchronized boolean isAnswered() {
    if (!answered) {
      probe();
    }
    return answered;
  }

  private void see(Optional<String> conflict) {
    answered = true;
    long now = nanos.getAsLong();
    if (conflict.isPresent()) {
      seen = OptionalLong.of(now);
      due = now;
    } else if (seen.isEmpty() || now - seen.getAsLong() > REMEMBERED.toNanos()) {
      due = now + PAUSE_WHERE_NONE_IS.toNanos();
    }
    onConflict.accept(conflict);
  }

  private static Optional<String> conflict(int gpus, boolean known) {
    if (gpus > 0) {
      return Optional.of("%s %d GPUs of this node, too".formatted(DeviceTaint.DEVICE_PLUGIN, gpus));
    }
    return known ? Optional.empty() : Optional.of(UNKNOWN);
  }
}
