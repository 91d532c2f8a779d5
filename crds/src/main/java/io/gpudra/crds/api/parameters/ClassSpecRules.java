package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.Limits;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for the spec of a class. */
final class ClassSpecRules {

  private static final int MAX_SELECTORS = 16;
  private static final int NO_OVERCOMMIT = 100;
  private static final int MAX_OVERCOMMIT = 400;
  private static final int MAX_DURATION_CHARACTERS = 16;

  private static final Pattern DURATION = Pattern.compile("([0-9]+h)?([0-9]+m)?([0-9]+s)?");

  static final ImmutableList<FieldRule<GpuClassParametersSpec>> RULES =
      ImmutableList.of(
          new FieldRule<>(
              spec -> spec.monitors() && spec.namespaceSelector() == null,
              "monitor: true shows every GPU of a node; say in namespaceSelector which namespaces"
                  + " may use the class"),
          new FieldRule<>(
              spec ->
                  spec.monitors()
                      && (spec.mode() != null
                          || spec.sharing() != null
                          || spec.placement() != null
                          || spec.topology() != null
                          || spec.enforceLimits() != null
                          || spec.limits() != null),
              "monitor claims take no devices; mode, sharing, placement, topology, enforceLimits and"
                  + " limits have no meaning"),
          new FieldRule<>(
              spec -> spec.topologyPolicy() != null && spec.topology() == null,
              "topologyPolicy needs topology"),
          new FieldRule<>(
              spec ->
                  GpuClaimParametersSpec.NVLINK.equals(spec.topology()) && spec.handsOutMigOnly(),
              "MIG devices have no NVLink; topology: nvlink cannot be combined with a deviceSelector"
                  + " of type mig only"),
          new FieldRule<>(
              spec -> spec.enforcesLimits() && DeviceRequest.EXCLUSIVE.equals(spec.mode()),
              "enforceLimits is for shares of GPUs; it cannot be combined with mode: exclusive"),
          new FieldRule<>(
              spec ->
                  spec.enforcesLimits()
                      && spec.sharing() != null
                      && spec.sharing().strategyOrDefault().equals(SharingSpec.TIME_SLICING),
              "TimeSlicing enforces no limits; with enforceLimits the strategy of shares is MPS"),
          new FieldRule<>(
              spec -> spec.enforcesLimits() && overcommits(spec),
              "limits that are enforced cannot be promised twice; drop memoryOvercommitPercent or"
                  + " enforceLimits"),
          new FieldRule<>(
              spec -> overcommits(spec) && DeviceRequest.EXCLUSIVE.equals(spec.mode()),
              "memoryOvercommitPercent needs mode: shared"),
          new FieldRule<>(
              spec ->
                  overcommits(spec)
                      && spec.sharing() != null
                      && !spec.sharing().strategyOrDefault().equals(SharingSpec.TIME_SLICING),
              "memoryOvercommitPercent above 100 works only with TimeSlicing; MPS and"
                  + " SpacePartitioning enforce the limits"));

  private ClassSpecRules() {}

  static boolean overcommits(GpuClassParametersSpec spec) {
    return spec.memoryOvercommitPercentOrDefault() != NO_OVERCOMMIT;
  }

  static void check(ProblemList problems, GpuClassParametersSpec spec) {
    checkSelectors(problems, spec.deviceSelector());
    problems.checkCel("spec.cel", spec.cel());
    problems.checkSet(
        "spec.forbiddenAttributes",
        spec.forbiddenAttributes(),
        GpuClassParametersSpec.FORBIDDABLE,
        GpuClassParametersSpec.FORBIDDABLE.size());
    if (spec.namespaceSelector() != null) {
      spec.namespaceSelector().check(problems, "spec.namespaceSelector");
    }
    problems.checkChoice("spec.mode", spec.mode(), DeviceRequest.MODES);
    SharingRules.check(problems, "spec.sharing", spec.sharing());
    problems.checkChoice("spec.topology", spec.topology(), GpuClaimParametersSpec.TOPOLOGIES);
    problems.checkChoice(
        "spec.topologyPolicy", spec.topologyPolicy(), GpuClaimParametersSpec.TOPOLOGY_POLICIES);
    problems.checkRange(
        "spec.memoryOvercommitPercent",
        spec.memoryOvercommitPercent(),
        NO_OVERCOMMIT,
        MAX_OVERCOMMIT);
    if (spec.limits() != null) {
      checkLimits(problems, spec.limits());
    }
    problems.checkRules("spec", spec, RULES);
  }

  private static void checkSelectors(
      ProblemList problems, @Nullable List<@Nullable DeviceSelector> selectors) {
    problems.checkItems("spec.deviceSelector", selectors, MAX_SELECTORS);
    for (int i = 0; selectors != null && i < Math.min(selectors.size(), MAX_SELECTORS); i++) {
      DeviceSelector selector = selectors.get(i);
      String path = "spec.deviceSelector[%d]".formatted(i);
      if (selector == null) {
        problems.required(path);
      } else {
        selector.check(problems, path);
      }
    }
  }

  private static void checkLimits(ProblemList problems, Limits limits) {
    problems.checkRange(
        "spec.limits.devicesPerClaim",
        limits.devicesPerClaim(),
        1,
        GpuClaimParametersSpec.MAX_COUNT);
    String duration = limits.claimDuration();
    if (duration != null
        && (duration.isEmpty()
            || duration.length() > MAX_DURATION_CHARACTERS
            || !DURATION.matcher(duration).matches())) {
      problems.add(
          "spec.limits.claimDuration",
          "Invalid value: \"%s\": write a duration such as 24h or 1h30m"
              .formatted(ProblemList.shortened(duration)));
    }
  }
}
