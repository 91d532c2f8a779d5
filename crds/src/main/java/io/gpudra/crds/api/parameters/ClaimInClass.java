package io.gpudra.crds.api.parameters;

import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.stream.Stream;

/**
 * Fields of a claim that its class does not allow. Problems of the claim alone are not repeated.
 */
final class ClaimInClass {

  private final ProblemList problems;
  private final GpuClassParametersSpec ofClass;
  private final String named;

  ClaimInClass(ProblemList problems, GpuClassParametersSpec ofClass, String className) {
    this.problems = problems;
    this.ofClass = ofClass;
    this.named = "class \"%s\"".formatted(className);
  }

  void check(GpuClaimParametersSpec claim) {
    if (ofClass.monitors()) {
      claim.presentFields().stream()
          .filter(field -> !field.equals("cel"))
          .forEach(
              field -> problems.add("spec." + field, "Forbidden: monitor claims take no devices"));
      return;
    }
    checkNvlink(claim);
    checkTopology(claim);
    checkServed(claim);
    for (Entry entry : claim.entries()) {
      checkMode(entry);
      checkStrategy(entry);
      checkEnforced(entry);
      checkMig(entry);
    }
  }

  /** Checks the number and the kinds of devices. */
  void checkLimits(GpuClaimParametersSpec claim) {
    if (!ofClass.monitors()) {
      checkLimit(claim);
      checkKinds(claim);
    }
  }

  /** A class with a limit rejects "all", since that number depends on the node. */
  private void checkLimit(GpuClaimParametersSpec claim) {
    Integer most = ofClass.limits() == null ? null : ofClass.limits().devicesPerClaim();
    if (most == null) {
      return;
    }
    if (claim.entries().stream().anyMatch(entry -> entry.request().wantsAll())) {
      problems.add("%s allows %d devices per claim, all wanted".formatted(named, most));
    }
    long wanted = claim.devicesWanted();
    if (wanted > most) {
      problems.add("%s allows %d devices per claim, %d wanted".formatted(named, most, wanted));
    }
  }

  private void checkMode(Entry entry) {
    String fixed = ofClass.mode();
    DeviceRequest request = entry.request();
    if (fixed == null) {
      return;
    }
    if (request.mode() != null && !request.mode().equals(fixed)) {
      forbid(entry, "mode");
    } else if (fixed.equals(DeviceRequest.EXCLUSIVE) && request.memoryLimit() != null) {
      forbid(entry, "memoryLimit");
    } else if (fixed.equals(DeviceRequest.SHARED)) {
      checkShared(entry);
    }
  }

  private void checkShared(Entry entry) {
    if (entry.request().migProfile() != null) {
      forbid(entry, "migProfile");
    } else if (entry.request().wantsAll()) {
      forbid(entry, "all");
    } else if (entry.request().memoryLimit() == null && entry.request().mode() == null) {
      problems.add(
          entry.path() + ".memoryLimit",
          "Required value: %s is %s; say which part of the GPU's memory this claim may use, such as 4Gi"
              .formatted(named, ofClass.mode()));
    }
  }

  private void forbid(Entry entry, String field) {
    problems.add(
        "%s.%s".formatted(entry.path(), field),
        "Forbidden: %s is %s".formatted(named, ofClass.mode()));
  }

  /** Limits that are enforced cannot be allocated twice. */
  private void checkStrategy(Entry entry) {
    SharingSpec sharing = entry.request().sharing();
    if (sharing != null
        && isShared(entry.request())
        && ClassSpecRules.overcommits(ofClass)
        && !sharing.strategyOrDefault().equals(SharingSpec.TIME_SLICING)) {
      problems.add(
          entry.path() + ".sharing.strategy",
          "Forbidden: %s promises more memory than there is, which works only with TimeSlicing"
              .formatted(named));
    }
  }

  /** Whether the request is shared, where the class does not decide this. */
  private boolean isShared(DeviceRequest request) {
    return request.memoryLimit() != null || DeviceRequest.SHARED.equals(request.mode());
  }

  private void checkKinds(GpuClaimParametersSpec claim) {
    if (ofClass.handsOutGpusOnly()
        && requests(claim).anyMatch(request -> request.migProfile() != null)) {
      problems.add(named + " hands out whole GPUs only");
    }
    if (ofClass.handsOutMigOnly()
        && requests(claim).anyMatch(request -> request.wantsAll() || isShared(request))) {
      problems.add(named + " hands out MIG devices only");
    }
  }

  private void checkNvlink(GpuClaimParametersSpec claim) {
    if (ofClass.handsOutMigOnly()
        && GpuClaimParametersSpec.NVLINK.equals(claim.topology())
        && requests(claim).allMatch(request -> request.migProfile() == null)) {
      problems.add(
          "spec.topology",
          "Forbidden: %s hands out MIG devices, which have no NVLink".formatted(named));
    }
  }

  /** A claim for one device satisfies any topology. */
  private void checkTopology(GpuClaimParametersSpec claim) {
    if (!ofClass.requiresTopology()) {
      return;
    }
    String required = "Forbidden: %s requires topology: %s".formatted(named, ofClass.topology());
    if (claim.topology() == null) {
      checkLinked(claim, required);
    } else if (!claim.topology().equals(ofClass.topology())) {
      problems.add("spec.topology", required);
    } else if (GpuClaimParametersSpec.PREFERRED.equals(claim.topologyPolicy())) {
      problems.add("spec.topologyPolicy", required);
    }
  }

  private void checkLinked(GpuClaimParametersSpec claim, String required) {
    if (GpuClaimParametersSpec.NVLINK.equals(ofClass.topology())) {
      claim.entries().stream()
          .filter(entry -> entry.request().migProfile() != null && isBesideOthers(claim, entry))
          .forEach(
              entry ->
                  problems.add(
                      entry.path() + ".migProfile", required + "; MIG devices have no NVLink"));
    }
  }

  /** A claim gets only one of its alternatives. */
  private static boolean isBesideOthers(GpuClaimParametersSpec claim, Entry entry) {
    long devices =
        claim.alternatives() == null ? claim.devicesWanted() : entry.request().countOrDefault();
    return devices > 1 || entry.request().wantsAll();
  }

  private void checkEnforced(Entry entry) {
    SharingSpec own = entry.request().sharing();
    SharingSpec sharing = own == null ? ofClass.sharing() : own;
    if (!ofClass.enforcesLimits()
        || !isShared(entry.request())
        || (sharing != null && !sharing.strategyOrDefault().equals(SharingSpec.TIME_SLICING))) {
      return;
    }
    problems.add(
        entry.path() + ".sharing.strategy",
        "%s: %s insists on limits that are enforced, supported values: \"MPS\""
            .formatted(
                own == null ? "Required value" : "Unsupported value: \"TimeSlicing\"", named));
  }

  private void checkServed(GpuClaimParametersSpec claim) {
    if (MpsDevices.of(claim).problem().isEmpty()) {
      MpsDevices.of(claim, ofClass)
          .problem()
          .ifPresent(problem -> problems.add(named + ": " + problem));
    }
  }

  private static Stream<DeviceRequest> requests(GpuClaimParametersSpec claim) {
    return claim.entries().stream().map(Entry::request);
  }

  /** The rules for MIG devices, when the claim alone does not show that they apply. */
  private void checkMig(Entry entry) {
    DeviceRequest request = entry.request();
    boolean profiled = request.migProfile() != null;
    if (ofClass.handsOutMigOnly() && !profiled) {
      problems.checkRules(entry.path(), request, RequestRules.OF_MIG_DEVICES);
    }
    if ((ofClass.handsOutMigOnly() || profiled) && request.sharing() == null) {
      problems.checkRules(
          named + ": spec", DeviceRequest.sharedAs(ofClass.sharing()), RequestRules.OF_MIG_DEVICES);
    }
  }
}
