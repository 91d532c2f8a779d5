package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.parameters.SharingSpec.MpsConfig;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.MemorySize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for {@code sharing}, by itself and together with the rest of a request. */
final class SharingRules {

  private static final int MAX_PERCENT = 100;
  private static final int MAX_PARTITIONS = 64;
  private static final int MAX_DEVICES = 16;
  private static final int MAX_KEY_CHARACTERS = 44;

  private static final Pattern POSITION = Pattern.compile("[0-9]|1[0-5]");
  private static final Pattern UUID = Pattern.compile("(GPU|MIG)-[0-9a-f-]{1,40}");

  /**
   * The rules for strategies. An unknown strategy breaks none of them, since it is reported itself.
   */
  static final ImmutableList<FieldRule<SharingSpec>> STRATEGIES =
      ImmutableList.of(
          new FieldRule<>(
              sharing ->
                  sharing.timeSlicingConfig() != null && isOther(sharing, SharingSpec.TIME_SLICING),
              "timeSlicingConfig is only for strategy TimeSlicing"),
          new FieldRule<>(
              sharing -> sharing.mpsConfig() != null && isOther(sharing, SharingSpec.MPS),
              "mpsConfig is only for strategy MPS"),
          new FieldRule<>(
              sharing ->
                  sharing.spacePartitioningConfig() == null
                      ? SharingSpec.SPACE_PARTITIONING.equals(sharing.strategy())
                      : isOther(sharing, SharingSpec.SPACE_PARTITIONING),
              "strategy SpacePartitioning needs spacePartitioningConfig, and only that strategy takes"
                  + " it"));

  private SharingRules() {}

  private static boolean isOther(SharingSpec sharing, String strategy) {
    String given = sharing.strategyOrDefault();
    return SharingSpec.STRATEGIES.contains(given) && !given.equals(strategy);
  }

  static void check(ProblemList problems, String path, @Nullable SharingSpec sharing) {
    if (sharing == null) {
      return;
    }
    problems.checkChoice(path + ".strategy", sharing.strategy(), SharingSpec.STRATEGIES);
    if (sharing.timeSlicingConfig() != null) {
      problems.checkChoice(
          path + ".timeSlicingConfig.interval",
          sharing.timeSlicingConfig().interval(),
          SharingSpec.TimeSlicingConfig.INTERVALS);
    }
    if (sharing.mpsConfig() != null) {
      checkMps(problems, path + ".mpsConfig", sharing.mpsConfig());
    }
    if (sharing.spacePartitioningConfig() != null) {
      checkPartitions(
          problems,
          path + ".spacePartitioningConfig.partitionCount",
          sharing.spacePartitioningConfig().partitionCount());
    }
    problems.checkRules(path, sharing, STRATEGIES);
  }

  private static void checkMps(ProblemList problems, String path, MpsConfig config) {
    problems.checkRange(
        path + ".defaultActiveThreadPercentage",
        config.defaultActiveThreadPercentage(),
        1,
        MAX_PERCENT);
    problems.checkSize(
        path + ".defaultPinnedDeviceMemoryLimit", config.defaultPinnedDeviceMemoryLimit());
    Map<String, String> sizes = config.defaultPerDevicePinnedMemoryLimit();
    if (sizes == null) {
      return;
    }
    problems.checkAtMost(path + PER_DEVICE, sizes.size(), MAX_DEVICES);
    for (Map.Entry<String, String> entry : perDevice(config)) {
      checkKey(problems, path + PER_DEVICE, entry.getKey());
      problems.checkSize(at(path, entry.getKey()), entry.getValue());
    }
  }

  private static final String PER_DEVICE = ".defaultPerDevicePinnedMemoryLimit";

  private static String at(String path, String key) {
    return "%s%s[%s]".formatted(path, PER_DEVICE, ProblemList.shortened(key));
  }

  /** The limits per device, as many as may be there. */
  private static List<Map.Entry<String, String>> perDevice(MpsConfig config) {
    Map<String, String> sizes = config.defaultPerDevicePinnedMemoryLimit();
    return sizes == null ? List.of() : sizes.entrySet().stream().limit(MAX_DEVICES).toList();
  }

  private static void checkKey(ProblemList problems, String path, String key) {
    if (key.length() > MAX_KEY_CHARACTERS
        || !(POSITION.matcher(key).matches() || UUID.matcher(key).matches())) {
      problems.add(
          path,
          "Invalid value: \"%s\": keys are a device's position in the claim (0 to 15) or its UUID"
              .formatted(ProblemList.shortened(key)));
    }
  }

  private static void checkPartitions(ProblemList problems, String path, @Nullable Integer count) {
    if (count == null) {
      problems.required(path);
    }
    problems.checkRange(path, count, 1, MAX_PARTITIONS);
  }

  /** No client may have a higher limit than the memory that the claim reserves. */
  static void checkLimits(ProblemList problems, String path, DeviceRequest request) {
    Optional<MemorySize> limit = RequestRules.size(request.memoryLimit());
    if (limit.isEmpty() || request.sharing() == null || request.sharing().mpsConfig() == null) {
      return;
    }
    MpsConfig config = request.sharing().mpsConfig();
    String mps = path + ".mpsConfig";
    checkLimit(
        problems,
        mps + ".defaultPinnedDeviceMemoryLimit",
        config.defaultPinnedDeviceMemoryLimit(),
        request);
    for (Map.Entry<String, String> entry : perDevice(config)) {
      checkLimit(problems, at(mps, entry.getKey()), entry.getValue(), request);
    }
  }

  private static void checkLimit(
      ProblemList problems, String path, @Nullable String size, DeviceRequest request) {
    long most = request.memoryLimitBytes().orElse(Long.MAX_VALUE);
    if (RequestRules.size(size).filter(given -> given.exactBytes() > most).isPresent()) {
      problems.add(path, "%s is more than memoryLimit %s".formatted(size, request.memoryLimit()));
    }
  }

  /**
   * Rejects a position that no device has, since it would be ignored silently.
   *
   * @param devices of the claim
   */
  static void checkPositions(
      ProblemList problems, String path, @Nullable SharingSpec sharing, long devices) {
    if (sharing == null || sharing.mpsConfig() == null) {
      return;
    }
    for (Map.Entry<String, String> entry : perDevice(sharing.mpsConfig())) {
      String key = entry.getKey();
      if (POSITION.matcher(key).matches() && Integer.parseInt(key) >= devices) {
        problems.add(at(path + ".mpsConfig", key), "the claim has " + counted(devices));
      }
    }
  }

  private static String counted(long devices) {
    if (devices == 1) {
      return "1 device (0)";
    }
    return devices == 2
        ? "2 devices (0 and 1)"
        : "%d devices (0 to %d)".formatted(devices, devices - 1);
  }
}
