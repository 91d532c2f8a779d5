package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.request.PinnedLimits;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.SharingSpec.MpsConfig;
import io.gpudra.crds.api.parameters.SharingSpec.TimeSlicingConfig;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.Sharing.Interval;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code sharing}, which has been checked (api.md 2.5). What a share is limited to, each of
 * its clients of MPS is.
 *
 * @param threads most percent of a client; 100 for no limit
 * @param bytes most memory of a client; {@link Long#MAX_VALUE} for no limit
 */
record Sharings(int threads, long bytes) {

  private static final int ALL_THREADS = 100;

  /** For devices of this shape. */
  static Sharings of(Shape shape) {
    return shape instanceof Shape.Share share
        ? new Sharings(threads(share.millicores()), share.memoryBytes())
        : new Sharings(ALL_THREADS, Long.MAX_VALUE);
  }

  /** MPS knows whole percents, of which a client needs one. */
  private static int threads(int millicores) {
    return millicores == 0 ? ALL_THREADS : Math.max(1, millicores / 10);
  }

  static boolean isSpacePartitioning(@Nullable SharingSpec spec) {
    return spec != null && spec.strategyOrDefault().equals(SharingSpec.SPACE_PARTITIONING);
  }

  Sharing read(@Nullable SharingSpec spec) {
    if (spec == null) {
      return Sharing.NONE;
    }
    return switch (spec.strategyOrDefault()) {
      case SharingSpec.MPS -> mps(Optional.ofNullable(spec.mpsConfig()));
      case SharingSpec.SPACE_PARTITIONING -> new Sharing.SpacePartitioning(parts(spec));
      default -> new Sharing.TimeSlicing(interval(spec.timeSlicingConfig()));
    };
  }

  private static int parts(SharingSpec spec) {
    return Optional.ofNullable(spec.spacePartitioningConfig())
        .map(SharingSpec.SpacePartitioningConfig::partitionCount)
        .orElse(1);
  }

  private static Interval interval(@Nullable TimeSlicingConfig config) {
    return Stream.of(Interval.values())
        .filter(one -> config != null && one.text().equals(config.intervalOrDefault()))
        .findFirst()
        .orElse(Interval.DEFAULT);
  }

  private Sharing.Mps mps(Optional<MpsConfig> config) {
    int most =
        Math.min(threads, config.map(MpsConfig::defaultActiveThreadPercentage).orElse(ALL_THREADS));
    long limit =
        config.map(MpsConfig::defaultPinnedDeviceMemoryLimit).map(this::limit).orElse(bytes);
    return new Sharing.Mps(
        most == ALL_THREADS ? OptionalInt.empty() : OptionalInt.of(most),
        limit == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(limit));
  }

  private long limit(String size) {
    return Math.min(bytes, MemorySize.parse(size).map(MemorySize::exactBytes).orElse(bytes));
  }

  PinnedLimits pinned(@Nullable SharingSpec spec) {
    return Optional.ofNullable(spec)
        .map(SharingSpec::mpsConfig)
        .map(MpsConfig::defaultPerDevicePinnedMemoryLimit)
        .map(
            sizes ->
                new PinnedLimits(
                    limits(sizes, Sharings::isPosition, Integer::valueOf),
                    limits(sizes, key -> !isPosition(key), uuid -> uuid)))
        .orElse(PinnedLimits.NONE);
  }

  private static boolean isPosition(String key) {
    return Character.isDigit(key.charAt(0));
  }

  /** A JSON null in the map arrives as null here. */
  private <K> ImmutableMap<K, Long> limits(
      Map<String, String> sizes, Predicate<String> which, Function<String, K> key) {
    return sizes.entrySet().stream()
        .filter(size -> size.getValue() != null && which.test(size.getKey()))
        .collect(toImmutableMap(size -> key.apply(size.getKey()), size -> limit(size.getValue())));
  }
}
