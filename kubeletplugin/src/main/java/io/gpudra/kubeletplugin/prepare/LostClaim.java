package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A prepared claim that the kubelet may have lost: a kubelet that remembers the claim's name from
 * an earlier boot counts a pod of that boot forever and never unprepares it (protocol.md 9.10).
 *
 * @param remembered whether the kubelet knew the name before this boot
 * @param gone the time since which the claim does not exist
 * @param watched UIDs of pods that may have it; empty as long as others may begin to use it
 */
record LostClaim(
    Holding held,
    boolean remembered,
    Optional<Instant> gone,
    Optional<ImmutableSet<String>> watched) {

  /**
   * Two looks must agree that the claim is gone. A pod that begins before the fence keeps its
   * devices until it ends, so it must not take longer.
   */
  private static final Duration FENCE_DELAY = Duration.ofSeconds(30);

  /** Usual kubelets take seconds, also to stop containers of a pod that was deleted by force. */
  static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** The next action for the claim. */
  sealed interface NextStep {

    /** No action now. */
    record Wait(String why) implements NextStep {}

    /** The claim exists after all: containers may use it again. */
    record Open() implements NextStep {}

    /** No further container may use it; the pods that may have it are watched. */
    record Fence() implements NextStep {}

    /** No container has it. */
    record TakeBack() implements NextStep {}
  }

  /**
   * Decides the next action. If something is unknown, the claim stays unchanged.
   *
   * @param node the pods of the node, if they are known; read only when the claim has been gone for
   *     a while
   * @param idle whether it is known that no process uses its GPUs
   */
  NextStep next(Instant now, Supplier<Optional<PodSet>> node, BooleanSupplier idle) {
    if (!remembered) {
      return new NextStep.Wait("its kubelet gives it back");
    }
    if (held.pods().isEmpty()) {
      return new NextStep.Wait("it is not known which pods use it");
    }
    if (gone.isEmpty()) {
      return watched.isPresent() ? new NextStep.Open() : new NextStep.Wait("the claim exists");
    }
    if (now.isBefore(gone.get().plus(watched.isEmpty() ? FENCE_DELAY : TIMEOUT))) {
      return new NextStep.Wait("the claim is gone since " + gone.get());
    }
    return node.get()
        .map(podSet -> next(podSet.present(), idle))
        .orElseGet(() -> new NextStep.Wait("the pods of the node are not known"));
  }

  private NextStep next(ImmutableSet<String> present, BooleanSupplier idle) {
    if (watched.isEmpty()) {
      return new NextStep.Fence();
    }
    ImmutableSet<String> left =
        Sets.intersection(held.mayHaveIt(watched.get()), present).immutableCopy();
    if (!left.isEmpty()) {
      return new NextStep.Wait("of pods that may have it these are there: " + left);
    }
    return idle.getAsBoolean()
        ? new NextStep.TakeBack()
        : new NextStep.Wait("a process uses its GPU, or that is not known");
  }
}
