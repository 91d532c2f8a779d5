package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules for the spec of a claim. */
final class ClaimSpecRules {

  private static final int MAX_ENTRIES = 8;
  private static final int MIN_ALTERNATIVES = 2;
  private static final int MAX_ATTRIBUTES = 8;
  private static final int MAX_TOLERATIONS = 16;
  private static final int MAX_NAME_CHARACTERS = 32;
  private static final int MAX_LABEL_CHARACTERS = 63;

  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");

  static final ImmutableList<FieldRule<GpuClaimParametersSpec>> RULES =
      ImmutableList.of(
          new FieldRule<>(
              spec -> spec.memory() != null && spec.memoryPerGpu() != null,
              "memory and memoryPerGpu mean the same (least memory of each device); set only one"),
          new FieldRule<>(
              spec -> spec.requests() != null && spec.alternatives() != null,
              "requests and alternatives exclude each other"),
          new FieldRule<>(
              spec -> spec.hasEntries() && !spec.body().equals(DeviceRequest.EMPTY),
              "with requests or alternatives, the fields count, all, memory, capabilities,"
                  + " migProfile, cel, mode, memoryLimit, millicores, sharing belong inside the"
                  + " entries"),
          new FieldRule<>(
              spec -> spec.topology() != null && isOneDevice(spec),
              "topology needs at least two devices; raise count or drop topology"),
          new FieldRule<>(
              spec -> spec.topologyPolicy() != null && spec.topology() == null,
              "topologyPolicy needs topology"),
          new FieldRule<>(
              spec ->
                  GpuClaimParametersSpec.NVLINK.equals(spec.topology()) && wantsMigAnywhere(spec),
              "MIG devices have no NVLink; topology: nvlink cannot be combined with migProfile"),
          new FieldRule<>(
              spec -> spec.sameAttribute() != null && isOneDevice(spec),
              "sameAttribute needs at least two devices; raise count or drop sameAttribute"),
          new FieldRule<>(
              spec ->
                  spec.requests() != null
                      && spec.devicesWanted() > GpuClaimParametersSpec.MAX_COUNT,
              "at most 64 devices per claim over all requests"),
          new FieldRule<>(
              spec ->
                  spec.insideClaim() != null
                      && !spec.entries().stream()
                          .allMatch(entry -> entry.request().migProfile() != null),
              "insideClaim carves MIG devices out of another claim's GPU; it needs migProfile"));

  private ClaimSpecRules() {}

  private static boolean isOneDevice(GpuClaimParametersSpec spec) {
    return !spec.hasEntries() && !spec.body().wantsAll() && spec.body().countOrDefault() <= 1;
  }

  private static boolean wantsMigAnywhere(GpuClaimParametersSpec spec) {
    return spec.migProfile() != null
        || Stream.of(listed(spec.requests()), listed(spec.alternatives()))
            .flatMap(List::stream)
            .anyMatch(request -> request != null && request.migProfile() != null);
  }

  static void check(ProblemList problems, GpuClaimParametersSpec spec) {
    RequestRules.check(problems, "spec", spec.own());
    problems.checkSize("spec.memoryPerGpu", spec.memoryPerGpu());
    checkEntries(problems, "spec.requests", spec.requests(), 1);
    checkNames(problems, spec.requests());
    checkEntries(problems, "spec.alternatives", spec.alternatives(), MIN_ALTERNATIVES);
    problems.checkChoice("spec.topology", spec.topology(), GpuClaimParametersSpec.TOPOLOGIES);
    problems.checkChoice(
        "spec.topologyPolicy", spec.topologyPolicy(), GpuClaimParametersSpec.TOPOLOGY_POLICIES);
    problems.checkSet(
        "spec.sameAttribute",
        spec.sameAttribute(),
        GpuClaimParametersSpec.ATTRIBUTES,
        MAX_ATTRIBUTES);
    problems.checkPattern("spec.insideClaim", spec.insideClaim(), LABEL, MAX_LABEL_CHARACTERS);
    checkTolerations(problems, spec.tolerations());
    problems.checkRules("spec", spec, RULES);
    checkPositions(problems, spec);
    MpsDevices.of(spec).problem().ifPresent(problems::add);
  }

  private static <T> List<T> listed(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  /** Checks as many entries as may be there. */
  private static void checkEntries(
      ProblemList problems,
      String path,
      @Nullable List<@Nullable DeviceRequest> entries,
      int least) {
    problems.checkItems(path, entries, least, MAX_ENTRIES);
    for (int i = 0; i < Math.min(listed(entries).size(), MAX_ENTRIES); i++) {
      DeviceRequest request = listed(entries).get(i);
      String at = "%s[%d]".formatted(path, i);
      if (request == null) {
        problems.required(at);
      } else {
        RequestRules.check(problems, at, request);
      }
    }
  }

  private static void checkNames(
      ProblemList problems, @Nullable List<@Nullable DeviceRequest> requests) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < Math.min(listed(requests).size(), MAX_ENTRIES); i++) {
      DeviceRequest request = listed(requests).get(i);
      String name = request == null ? null : request.name();
      String at = "spec.requests[%d]".formatted(i);
      if (request != null && name == null) {
        problems.required(at + ".name");
      }
      problems.checkPattern(at + ".name", name, LABEL, MAX_NAME_CHARACTERS);
      if (name != null && !seen.add(name)) {
        problems.add(
            at, "Duplicate value: {\"name\":\"%s\"}".formatted(ProblemList.shortened(name)));
      }
    }
  }

  private static void checkTolerations(
      ProblemList problems, @Nullable List<@Nullable TolerationSpec> tolerations) {
    problems.checkItems("spec.tolerations", tolerations, 0, MAX_TOLERATIONS);
    for (int i = 0; i < Math.min(listed(tolerations).size(), MAX_TOLERATIONS); i++) {
      TolerationSpec toleration = listed(tolerations).get(i);
      String at = "spec.tolerations[%d]".formatted(i);
      if (toleration == null) {
        problems.required(at);
      } else {
        TolerationRules.check(problems, at, toleration);
      }
    }
  }

  /** A position counts through all requests; the number of devices of "all" is not known here. */
  private static void checkPositions(ProblemList problems, GpuClaimParametersSpec spec) {
    for (Entry entry : spec.entries().stream().limit(MAX_ENTRIES).toList()) {
      boolean counted =
          spec.requests() == null
              ? !entry.request().wantsAll()
              : spec.entries().stream().noneMatch(other -> other.request().wantsAll());
      long devices =
          spec.requests() == null ? entry.request().countOrDefault() : spec.devicesWanted();
      if (counted) {
        SharingRules.checkPositions(
            problems, entry.path() + ".sharing", entry.request().sharing(), devices);
      }
    }
  }
}
