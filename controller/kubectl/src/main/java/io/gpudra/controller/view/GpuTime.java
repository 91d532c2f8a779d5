package io.gpudra.controller.view;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.groupingBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * GPU time of the current allocations; released devices do not count. A whole GPU counts 1, a MIG
 * device or a share counts its part of the GPU's memory.
 *
 * @param claims number of claims
 * @param gpus number of GPUs held
 */
public record GpuTime(String namespace, String name, int claims, double gpus, double hours) {
  private static final double SECONDS_OF_AN_HOUR = 3600;

  /** The GPU time by claim, the largest first. */
  public static ImmutableList<GpuTime> ofClaims(ImmutableList<NodeUse> nodes, Instant now) {
    return sorted(
        held(nodes, now).collect(groupingBy(Held::claim)).values().stream()
            .map(some -> of(some, some.get(0).ref().name())));
  }

  /** The GPU time by namespace, the largest first. */
  public static ImmutableList<GpuTime> ofNamespaces(ImmutableList<NodeUse> nodes, Instant now) {
    return sorted(
        held(nodes, now).collect(groupingBy(one -> one.ref().namespace())).values().stream()
            .map(some -> of(some, "")));
  }

  private static ImmutableList<GpuTime> sorted(Stream<GpuTime> all) {
    return all.sorted(
            comparing(GpuTime::hours)
                .reversed()
                .thenComparing(GpuTime::namespace)
                .thenComparing(GpuTime::name))
        .collect(toImmutableList());
  }

  private static GpuTime of(List<Held> some, String name) {
    return new GpuTime(
        some.get(0).ref().namespace(),
        name,
        (int) some.stream().map(Held::claim).distinct().count(),
        some.stream().mapToDouble(Held::gpus).sum(),
        some.stream().mapToDouble(held -> held.gpus() * held.hours()).sum());
  }

  private record Held(ClaimUid claim, ClaimRef ref, double gpus, double hours) {}

  private static Stream<Held> held(Collection<NodeUse> nodes, Instant now) {
    return nodes.stream()
        .flatMap(node -> node.gpus().stream())
        .flatMap(
            gpu ->
                gpu.holders().stream()
                    .flatMap(
                        holder ->
                            holder.since().stream().map(since -> held(gpu, holder, since, now))));
  }

  private static Held held(GpuUse gpu, DeviceHolder holder, Instant since, Instant now) {
    double seconds = Math.max(0, Duration.between(since, now).toSeconds());
    return new Held(
        holder.claim(), holder.ref(), gpu.portion(holder), seconds / SECONDS_OF_AN_HOUR);
  }
}
