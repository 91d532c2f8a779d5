package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How clients of a claim share its devices.
 *
 * @param strategy TimeSlicing when absent
 * @param timeSlicingConfig for strategy TimeSlicing only
 * @param mpsConfig for strategy MPS only
 * @param spacePartitioningConfig for strategy SpacePartitioning, which needs it
 */
@WireRecord
public record SharingSpec(
    @Nullable String strategy,
    @Nullable TimeSlicingConfig timeSlicingConfig,
    @Nullable MpsConfig mpsConfig,
    @Nullable SpacePartitioningConfig spacePartitioningConfig) {

  /** The processes take turns. */
  public static final String TIME_SLICING = "TimeSlicing";

  /** One server for all clients. */
  public static final String MPS = "MPS";

  /** Equal parts of memory and compute. */
  public static final String SPACE_PARTITIONING = "SpacePartitioning";

  /** Allowed values of {@code strategy}. */
  public static final ImmutableList<String> STRATEGIES =
      ImmutableList.of(TIME_SLICING, MPS, SPACE_PARTITIONING);

  /** The strategy, with its default. */
  public String strategyOrDefault() {
    return strategy == null ? TIME_SLICING : strategy;
  }

  /**
   * Settings of turns.
   *
   * @param interval length of a turn; Default when absent
   */
  @WireRecord
  public record TimeSlicingConfig(@Nullable String interval) {

    /** The length that the driver chooses. */
    public static final String DEFAULT_INTERVAL = "Default";

    /** Allowed values of {@code interval}. */
    public static final ImmutableList<String> INTERVALS =
        ImmutableList.of(DEFAULT_INTERVAL, "Short", "Medium", "Long");

    /** The length, with its default. */
    public String intervalOrDefault() {
      return interval == null ? DEFAULT_INTERVAL : interval;
    }
  }

  /**
   * Limits of each client.
   *
   * @param defaultActiveThreadPercentage 1 to 100
   * @param defaultPinnedDeviceMemoryLimit size, of each device
   * @param defaultPerDevicePinnedMemoryLimit sizes by a device's position in the claim or its UUID;
   *     they take precedence over the other limit
   */
  @WireRecord
  public record MpsConfig(
      @Nullable Integer defaultActiveThreadPercentage,
      @Nullable String defaultPinnedDeviceMemoryLimit,
      @Nullable Map<String, String> defaultPerDevicePinnedMemoryLimit) {}

  /**
   * Equal parts.
   *
   * @param partitionCount 1 to 64
   */
  @WireRecord
  public record SpacePartitioningConfig(@Nullable Integer partitionCount) {}
}
