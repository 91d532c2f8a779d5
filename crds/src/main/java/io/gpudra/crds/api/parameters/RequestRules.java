package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.MemorySize;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for the fields of one request. */
final class RequestRules {

  private static final int MAX_MILLICORES = 1000;
  private static final long MIN_LIMIT_BYTES = 1_000_000;
  private static final int MAX_PROFILE_CHARACTERS = 32;

  private static final Pattern PROFILE =
      Pattern.compile("([1-7]c[.])?[1-7]g[.][1-9][0-9]*gb([+-][a-z]+([.][a-z]+)*)*");

  static final ImmutableList<FieldRule<DeviceRequest>> PARTS =
      ImmutableList.of(
          new FieldRule<>(
              request -> request.count() != null && request.wantsAll(),
              "count and all exclude each other"),
          new FieldRule<>(
              request ->
                  request.wantsAll()
                      && (request.migProfile() != null || request.memoryLimit() != null),
              "all takes whole GPUs; it cannot be combined with migProfile or memoryLimit"),
          new FieldRule<>(
              request -> isShared(request) && request.memoryLimit() == null,
              "mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such"
                  + " as 4Gi"),
          new FieldRule<>(
              request ->
                  DeviceRequest.EXCLUSIVE.equals(request.mode()) && request.memoryLimit() != null,
              "memoryLimit is a part of a GPU; it needs mode: shared"),
          new FieldRule<>(
              request -> request.millicores() != null && request.memoryLimit() == null,
              "millicores needs memoryLimit beside it"),
          new FieldRule<>(
              request ->
                  request.migProfile() != null
                      && (request.memoryLimit() != null || isShared(request)),
              "a MIG device is already a part of a GPU; it cannot be combined with mode: shared or"
                  + " memoryLimit"));

  /** The rules for MIG devices, whether the request or its class requires these. */
  static final ImmutableList<FieldRule<DeviceRequest>> OF_MIG_DEVICES =
      ImmutableList.of(
          new FieldRule<>(
              request ->
                  request.capabilities() != null
                      && request.capabilities().contains(GpuClaimParametersSpec.NVLINK),
              "MIG devices have no NVLink; drop nvlink from capabilities"),
          new FieldRule<>(
              sharing(given -> SharingSpec.SPACE_PARTITIONING.equals(given.strategy())),
              "SpacePartitioning does not work on MIG devices; use a smaller migProfile"),
          new FieldRule<>(
              sharing(RequestRules::setsTheSlice),
              "the time slice of a MIG device cannot be changed; drop timeSlicingConfig"));

  private RequestRules() {}

  private static boolean isShared(DeviceRequest request) {
    return DeviceRequest.SHARED.equals(request.mode());
  }

  private static Predicate<DeviceRequest> sharing(Predicate<SharingSpec> broken) {
    return request -> request.sharing() != null && broken.test(request.sharing());
  }

  private static boolean setsTheSlice(SharingSpec sharing) {
    return sharing.timeSlicingConfig() != null
        && !sharing
            .timeSlicingConfig()
            .intervalOrDefault()
            .equals(SharingSpec.TimeSlicingConfig.DEFAULT_INTERVAL);
  }

  static void check(ProblemList problems, String path, DeviceRequest request) {
    problems.checkRange(path + ".count", request.count(), 1, GpuClaimParametersSpec.MAX_COUNT);
    problems.checkSize(path + ".memory", request.memory());
    problems.checkSet(
        path + ".capabilities",
        request.capabilities(),
        DeviceRequest.CAPABILITIES,
        DeviceRequest.CAPABILITIES.size());
    checkProfile(problems, path + ".migProfile", request.migProfile());
    problems.checkCel(path + ".cel", request.cel());
    problems.checkChoice(path + ".mode", request.mode(), DeviceRequest.MODES);
    checkLimit(problems, path + ".memoryLimit", request);
    problems.checkRange(path + ".millicores", request.millicores(), 1, MAX_MILLICORES);
    SharingRules.check(problems, path + ".sharing", request.sharing());
    problems.checkRules(path, request, PARTS);
    if (request.migProfile() != null) {
      problems.checkRules(path, request, OF_MIG_DEVICES);
    }
    SharingRules.checkLimits(problems, path + ".sharing", request);
  }

  private static void checkProfile(ProblemList problems, String path, @Nullable String profile) {
    if (profile != null
        && (profile.length() > MAX_PROFILE_CHARACTERS || !PROFILE.matcher(profile).matches())) {
      problems.add(
          path,
          ("Invalid value: \"%s\": write a MIG profile such as 1g.5gb, 3g.40gb, 1g.10gb+me,"
                  + " 2g.48gb+me.all or 1c.2g.10gb")
              .formatted(ProblemList.shortened(profile)));
    }
  }

  /** A limit of 0 could be allocated without end. */
  private static void checkLimit(ProblemList problems, String path, DeviceRequest request) {
    problems.checkSize(path, request.memoryLimit());
    if (request.memoryLimitBytes().orElse(MIN_LIMIT_BYTES) < MIN_LIMIT_BYTES) {
      problems.add(
          path, "Invalid value: \"%s\": must be at least 1M".formatted(request.memoryLimit()));
    }
  }

  /** The size; empty also when the text is no size. */
  static Optional<MemorySize> size(@Nullable String text) {
    return Optional.ofNullable(text).flatMap(MemorySize::parse);
  }
}
