package io.gpudra.controller.eviction;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Toleration;
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

/** Which pods must leave their GPUs. Pure; the meaning is that of NoExecute taints of nodes. */
final class EvictionRules {
  private static final Comparator<Eviction> FIRST =
      Comparator.comparing(Eviction::at).thenComparing(eviction -> eviction.pod().uid());

  private EvictionRules() {}

  /** Those whose time is over, each pod once, who has waited longest first. */
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

  /** When the claim's pods must be gone because of this taint; the first toleration decides. */
  private static Optional<End> end(GpuUse use, Map.Entry<DeviceTaint, Instant> taint) {
    Optional<Toleration> tolerated =
        use.tolerations().stream().filter(one -> one.tolerates(taint.getKey())).findFirst();
    Optional<Duration> stay =
        tolerated.isEmpty() ? Optional.of(Duration.ZERO) : tolerated.get().duration();
    return stay.map(time -> new End(taint.getKey(), after(taint.getValue(), time)));
  }

  /** What is longer than any life is for ever. */
  private static Instant after(Instant since, Duration time) {
    return time.compareTo(Duration.between(since, Instant.MAX)) < 0
        ? since.plus(time)
        : Instant.MAX;
  }

  /**
   * A claim that has all or a part of a tainted GPU, or a tainted MIG device, and its pods.
   *
   * @param device the name of the GPU or the MIG device
   * @param taints that evict now, and since when each is there
   */
  record GpuUse(
      ClaimRef ref,
      ClaimUid claim,
      ImmutableList<PodRef> pods,
      ImmutableList<Toleration> tolerations,
      String device,
      ImmutableMap<DeviceTaint, Instant> taints) {}

  /**
   * A pod that must go.
   *
   * @param because the use of a device that it must give up first
   * @param taint of that device
   * @param at since when
   */
  record Eviction(PodRef pod, GpuUse because, DeviceTaint taint, Instant at) {

    /** For people: {@code gpu-3: XID 79 (fell off the bus)}. */
    String text() {
      String value = taint.value().isEmpty() ? "" : "=" + taint.value();
      return because.device()
          + ": "
          + (taint.reason().isEmpty() ? "tainted " + taint.key() + value : taint.reason());
    }
  }
}
