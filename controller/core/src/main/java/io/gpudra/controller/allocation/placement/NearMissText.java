package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.reason.UnsuitableReason.Kind.TOO_MANY_COMBINATIONS;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.refusal.DisabledMigMode;
import io.gpudra.controller.allocation.refusal.TaintFilter;
import io.gpudra.controller.allocation.refusal.WholeGpuShortage;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.allocation.search.PlacementSearch;
import io.gpudra.controller.allocation.search.PlacementSearch.Finding;
import io.gpudra.controller.allocation.search.RequestCandidates;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.search.TopologyGroup;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.usage.GpuUsage;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text of the nearest miss of one alternative of a claim on a node.
 *
 * @param budget for all texts about the claim
 */
record NearMissText(
    SearchProblem problem,
    ClaimRequest claim,
    RequestAlternative alternative,
    SearchBudget budget) {
  private static final int MAX_LISTED = 12;

  String text() {
    String taint =
        TaintFilter.text(problem.sites().stream().map(GpuCandidate::gpu).toList(), claim);
    return taint.isEmpty() ? untainted() : untainted() + "; " + taint;
  }

  /** The first sub-request that fails alone, or else why the sub-requests do not fit together. */
  private String untainted() {
    for (DeviceSubRequest subRequest : alternative.subRequests()) {
      RequestAlternative alone =
          new RequestAlternative(ImmutableList.of(subRequest), DeviceConstraints.ANYHOW);
      Finding found = find(alone);
      if (!(found instanceof Finding.Found)) {
        return subRequest.name().map(name -> "request " + name + ": ").orElse("")
            + (found instanceof Finding.TooMany
                ? TOO_MANY_COMBINATIONS.phrase()
                : text(subRequest));
      }
    }
    if (alternative.deviceConstraints().isAnyhow() && alternative.subRequests().size() == 1) {
      return WholeGpuShortage.ROOM_BY_NOW;
    }
    return alternative.deviceConstraints().isAnyhow()
        ? "each request fits alone, but not all of them together"
        : together();
  }

  private Finding find(RequestAlternative only) {
    return PlacementSearch.find(problem.with(claim.with(ImmutableList.of(only))), budget);
  }

  private String text(DeviceSubRequest subRequest) {
    RequestCandidates candidates =
        RequestCandidates.of(problem.asking(claim), subRequest, TopologyGroup.ALL, problem);
    if (claim.inside().isPresent()) {
      return new NestedNearMissText(problem, claim, candidates).text();
    }
    if (subRequest.kind() instanceof DeviceKind.Mig mig) {
      return mig(mig, candidates);
    }
    List<GpuCandidate> matching = matching(candidates);
    if (matching.isEmpty()) {
      return none(subRequest);
    }
    return subRequest.kind() instanceof DeviceKind.Share share
        ? share(share, subRequest, matching)
        : whole(subRequest, matching);
  }

  private List<GpuCandidate> matching(RequestCandidates candidates) {
    return problem.sites().stream().filter(candidates::accepts).toList();
  }

  private String none(DeviceSubRequest subRequest) {
    int total = problem.sites().size();
    String wanted = subRequest.devicePredicate().text();
    if (total == 0) {
      return "node has no GPUs";
    }
    return "none of %d GPUs %s"
        .formatted(total, wanted.isEmpty() ? "can be allocated" : "matches " + wanted);
  }

  private static String whole(DeviceSubRequest subRequest, List<GpuCandidate> matching) {
    long free = matching.stream().filter(GpuCandidate::acceptsWhole).count();
    return subRequest.all()
        ? "%d of %d matching GPUs free, all wanted".formatted(free, matching.size())
        : "%d of %d matching GPUs free, %d wanted"
            .formatted(free, matching.size(), subRequest.count());
  }

  private String share(
      DeviceKind.Share share, DeviceSubRequest subRequest, List<GpuCandidate> matching) {
    List<GpuCandidate> takers = matching.stream().filter(GpuCandidate::acceptsShares).toList();
    if (takers.isEmpty()) {
      return "%s in use whole or cut into MIG devices".formatted(all(matching.size()));
    }
    List<GpuCandidate> agreeing =
        takers.stream().filter(candidate -> agrees(candidate, subRequest.sharing())).toList();
    if (agreeing.isEmpty()) {
      GpuCandidate first = takers.get(0);
      return "%s is shared with %s, the claim wants %s"
          .formatted(first.gpu().name(), text(setting(first)), text(subRequest.sharing()));
    }
    return most(share, subRequest, agreeing);
  }

  private static String all(int gpus) {
    return gpus == 1 ? "the only matching GPU is" : "all %d matching GPUs are".formatted(gpus);
  }

  private static boolean agrees(GpuCandidate candidate, SharingStrategy sharing) {
    return candidate.usage().holdings().isEmpty() || setting(candidate).equals(sharing.setting());
  }

  private static SharingStrategy setting(GpuCandidate candidate) {
    return candidate.usage().holdings().iterator().next().part().sharing().setting();
  }

  private static String text(SharingStrategy sharing) {
    return sharing instanceof SharingStrategy.TimeSlicing slicing
        ? slicing.strategy() + " " + slicing.interval().text()
        : sharing.strategy();
  }

  private static String most(
      DeviceKind.Share share, DeviceSubRequest subRequest, List<GpuCandidate> takers) {
    GpuCandidate most =
        takers.stream().max(Comparator.comparingLong(NearMissText::memoryLeft)).orElseThrow();
    if (memoryLeft(most) < share.memoryBytes()) {
      return "needs %s, the most that is left of one GPU is %s (%s)"
          .formatted(
              MemorySize.text(share.memoryBytes()),
              MemorySize.text(memoryLeft(most)),
              most.gpu().name());
    }
    long roomy =
        takers.stream().filter(candidate -> memoryLeft(candidate) >= share.memoryBytes()).count();
    if (roomy < subRequest.count()) {
      return "%s left on %d of %d wanted GPUs"
          .formatted(MemorySize.text(share.memoryBytes()), roomy, subRequest.count());
    }
    return subRequest.count() == 1
        ? "no GPU has %d millicores left, or it has too many shares".formatted(share.millicores())
        : "fewer than %d GPUs have %d millicores left, or they have too many shares"
            .formatted(subRequest.count(), share.millicores());
  }

  private static long memoryLeft(GpuCandidate candidate) {
    return Math.max(0, GpuCandidate.memoryLeft(candidate.gpu(), candidate.usage()));
  }

  private String mig(DeviceKind.Mig mig, RequestCandidates candidates) {
    String wanted = mig.profile().orElse("MIG device");
    List<GpuCandidate> matching =
        problem.sites().stream().filter(candidate -> offers(candidates, candidate)).toList();
    if (matching.isEmpty()) {
      return notOffered(mig, candidates.subRequest());
    }
    int room =
        matching.stream().mapToInt(candidate -> AvailableCount.of(candidates, candidate)).sum();
    if (room > 0) {
      return "room for %d of %d wanted %s".formatted(room, candidates.count(), wanted);
    }
    return "%s fits on no GPU: %s".formatted(wanted, GpuOccupancy.of(matching, candidates));
  }

  private static boolean offers(RequestCandidates candidates, GpuCandidate candidate) {
    return !candidates.cutsOf(candidate).isEmpty() || !candidates.existingOf(candidate).isEmpty();
  }

  private String notOffered(DeviceKind.Mig mig, DeviceSubRequest subRequest) {
    ImmutableList<String> offered =
        problem.sites().stream()
            .flatMap(candidate -> candidate.gpu().model().migProfiles().stream())
            .map(MigProfile::name)
            .distinct()
            .collect(toImmutableList());
    Optional<String> profile = mig.gpuInstance();
    if (offered.isEmpty()) {
      return "no GPU of the node can be cut into MIG devices" + off();
    }
    if (profile.isPresent() && !offered.contains(profile.get())) {
      return "no GPU offers %s%s%s"
          .formatted(
              profile.get(),
              offered.size() <= MAX_LISTED ? "; offered: " + String.join(", ", offered) : "",
              off());
    }
    return subRequest.devicePredicate().text().isEmpty()
        ? "no MIG device can be allocated"
        : "no MIG device matches " + subRequest.devicePredicate().text();
  }

  /** GPUs whose profiles are unknown while MIG mode is off. */
  private String off() {
    String off =
        DisabledMigMode.text(
            problem.sites().stream()
                .map(GpuCandidate::gpu)
                .filter(gpu -> gpu.model().migProfiles().isEmpty())
                .toList());
    return off.isEmpty() ? "" : "; " + off;
  }

  private String together() {
    DeviceConstraints deviceConstraints = alternative.deviceConstraints();
    String what =
        deviceConstraints
            .topology()
            .map(linked -> connected(linked.connection()))
            .orElseGet(
                () ->
                    "agree in "
                        + deviceConstraints.same().stream()
                            .map(matchAttribute -> matchAttribute.attribute())
                            .collect(Collectors.joining(", ")));
    DeviceSubRequest subRequest = alternative.subRequests().get(0);
    if (!(subRequest.kind() instanceof DeviceKind.Whole)) {
      return "no devices that %s are left".formatted(what);
    }
    long free = free(subRequest, TopologyGroup.ALL);
    OptionalLong most = most(subRequest);
    return most.isPresent()
        ? "%d of %d free GPUs %s".formatted(most.getAsLong(), free, what)
        : "too many combinations to tell how many of %d free GPUs %s".formatted(free, what);
  }

  /**
   * The maximum number of free GPUs in one group; empty if the budget does not cover all groups.
   */
  private OptionalLong most(DeviceSubRequest subRequest) {
    budget.nextNode();
    long most =
        TopologyGroup.of(problem.inventory(), alternative.deviceConstraints(), budget).stream()
            .takeWhile(unused -> budget.spend())
            .mapToLong(group -> free(subRequest, group))
            .max()
            .orElse(0);
    return budget.spent() ? OptionalLong.empty() : OptionalLong.of(most);
  }

  private long free(DeviceSubRequest subRequest, TopologyGroup group) {
    RequestCandidates candidates =
        RequestCandidates.of(problem.asking(claim), subRequest, group, problem);
    return matching(candidates).stream().filter(GpuCandidate::acceptsWhole).count();
  }

  private static String connected(DeviceConstraints.Connection connection) {
    return switch (connection) {
      case NVLINK -> "are NVLink-connected";
      case PCIE -> "are on the same PCIe root";
      case NUMA -> "are on the same NUMA node";
    };
  }

  /** How the GPUs that could be divided are used. */
  record GpuOccupancy(List<GpuCandidate> gpus) {

    static String of(List<GpuCandidate> gpus, RequestCandidates candidates) {
      GpuOccupancy on =
          new GpuOccupancy(
              gpus.stream().filter(candidate -> !DisabledMigMode.is(candidate.gpu())).toList());
      return Stream.of(
              DisabledMigMode.text(gpus.stream().map(GpuCandidate::gpu).toList()),
              on.counted(
                  "in use whole", candidate -> candidate.usage().kind() == GpuUsage.Kind.WHOLE),
              on.counted("shared", candidate -> candidate.usage().kind() == GpuUsage.Kind.SHARED),
              on.counted(
                  "overfull", candidate -> candidate.usage().kind() == GpuUsage.Kind.OVERFULL),
              on.full(candidates))
          .filter(text -> !text.isEmpty())
          .collect(Collectors.joining(", "));
    }

    private String counted(String how, Predicate<GpuCandidate> which) {
      List<GpuCandidate> some = gpus.stream().filter(which).toList();
      if (some.isEmpty()) {
        return "";
      }
      return (some.size() == 1 ? some.get(0).gpu().name() : some.size() + " GPUs") + " " + how;
    }

    private String full(RequestCandidates candidates) {
      return full(gpus.stream().filter(GpuCandidate::acceptsCuts).toList(), candidates);
    }

    /** The free memory slices of the divided GPU with the most. */
    static String full(List<GpuCandidate> cut, RequestCandidates candidates) {
      return cut.stream()
          .max(Comparator.comparingInt(candidate -> candidate.layout().memoryLeft()))
          .map(candidate -> full(candidate, candidates, cut.size()))
          .orElse("");
    }

    private static String full(GpuCandidate candidate, RequestCandidates candidates, int others) {
      int left = candidate.layout().memoryLeft();
      boolean wouldDo =
          candidates.cutsOf(candidate).stream().anyMatch(one -> one.profile().size() <= left);
      boolean fits =
          candidates.cutsOf(candidate).stream()
              .anyMatch(one -> candidate.layout().most(one.profile()) > 0);
      String apart = wouldDo && !fits ? " but not side by side" : "";
      return "%s has %d free memory slices%s%s"
          .formatted(
              candidate.gpu().name(),
              left,
              apart,
              others > 1 ? ", the most of " + others + " GPUs" : "");
    }
  }
}
