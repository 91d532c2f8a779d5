package io.gpudra.controller.eviction;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceToleration;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Pure rules that decide which pods must leave their GPUs, like NoExecute taints of nodes. */
final class EvictionRules {
  private static final Comparator<Eviction> FIRST =
      Comparator.comparing(Eviction::at).thenComparing(eviction -> eviction.pod().uid());

  private EvictionRules() {}

  /** The evictions that are due, each pod once, the earliest first. */
  static ImmutableList<Eviction> due(List<GpuUse> uses, Instant now) {
    Collection<Eviction> firstOfEach =
        uses.stream()
            .flatMap(use -> soonest(use, now).stream().flatMap(one -> ofPods(use, one)))
            .filter(eviction -> !eviction.at().isAfter(now))
            .collect(
                Collectors.toMap(
                    eviction -> eviction.pod().uid(),
                    eviction -> eviction,
                    BinaryOperator.minBy(FIRST)))
            .values();
    return firstOfEach.stream().sorted(FIRST).collect(toImmutableList());
  }

  private record End(DeviceTaint taint, Instant at) {}

  private static Stream<Eviction> ofPods(GpuUse use, End end) {
    return use.pods().stream().map(pod -> new Eviction(pod, use, end.taint(), end.at()));
  }

  private static Optional<End> soonest(GpuUse use, Instant now) {
    return use.taints().entrySet().stream()
        .filter(taint -> taint.getKey().at(now))
        .flatMap(taint -> end(use, taint).stream())
        .min(Comparator.comparing(End::at));
  }

  /** The time to evict the claim's pods for this taint; the first toleration decides. */
  private static Optional<End> end(GpuUse use, Map.Entry<DeviceTaint, Instant> taint) {
    Optional<DeviceToleration> tolerated =
        use.tolerations().stream().filter(one -> one.tolerates(taint.getKey())).findFirst();
    Optional<Duration> stay =
        tolerated.isEmpty() ? Optional.of(Duration.ZERO) : tolerated.get().duration();
    return stay.map(time -> new End(taint.getKey(), after(taint.getValue(), time)));
  }

  /** A time beyond the range means forever. */
  private static Instant after(Instant since, Duration time) {
    return time.compareTo(Duration.between(since, Instant.MAX)) < 0
        ? since.plus(time)
        : Instant.MAX;
  }

  /**
   * A claim that holds all or a part of a tainted GPU, or a tainted MIG device, and its pods.
   *
   * @param node that has the device
   * @param device the name of the GPU or the MIG device
   * @param taints the taints that evict now, with their times
   */
  record GpuUse(
      ClaimRef ref,
      ClaimUid claim,
      ImmutableList<PodRef> pods,
      ImmutableList<DeviceToleration> tolerations,
      String node,
      String device,
      ImmutableMap<DeviceTaint, Instant> taints) {

    GpuUse with(ImmutableList<DeviceToleration> others) {
      return new GpuUse(ref, claim, pods, others, node, device, taints);
    }
  }

  /**
   * A pod to evict.
   *
   * @param because the use of the device that ends first
   * @param taint of that device
   * @param at the time of the eviction
   */
  record Eviction(PodRef pod, GpuUse because, DeviceTaint taint, Instant at) {

    /** The text for users: {@code gpu-3: XID 79 (fell off the bus)}. */
    String text() {
      String value = taint.value().isEmpty() ? "" : "=" + taint.value();
      return because.device()
          + ": "
          + (taint.reason().isEmpty() ? "tainted " + taint.key() + value : taint.reason());
    }
  }
}
