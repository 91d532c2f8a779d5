package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.placement.NearMissText.GpuOccupancy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.allocation.search.IndexedClaim;
import io.gpudra.controller.allocation.search.RequestCandidates;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.search.TopologyGroup;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.List;
import java.util.stream.Stream;

/** The text that explains why no device can be carved for a claim out of its parent. */
final class NestedNearMissText {
  private final SearchProblem problem;
  private final Parent parent;
  private final RequestCandidates candidates;

  /** The demands of the parent, if it is a claim of the search problem and has no device yet. */
  private final ImmutableList<RequestCandidates> wanted;

  NestedNearMissText(SearchProblem problem, ClaimRequest claim, RequestCandidates candidates) {
    this.problem = problem;
    this.parent = claim.inside().orElseThrow();
    this.candidates = candidates;
    this.wanted =
        problem.claims().stream()
            .filter(one -> one.request().uid().equals(parent.uid()))
            .flatMap(this::demands)
            .collect(toImmutableList());
  }

  private Stream<RequestCandidates> demands(IndexedClaim claim) {
    return claim.request().alternatives().stream()
        .flatMap(alternative -> alternative.subRequests().stream())
        .map(subRequest -> RequestCandidates.of(claim, subRequest, TopologyGroup.ALL, problem));
  }

  String text() {
    String name = parent.ref().name();
    List<GpuCandidate> divided = problem.sites().stream().filter(this::canBeDivided).toList();
    if (divided.isEmpty()) {
      return "spec.insideClaim: \"%s\" holds no %s"
          .formatted(
              name,
              isForInstance()
                  ? "MIG device " + gpuInstance() + " that can be divided"
                  : "MIG-enabled GPU; select it with cel: device.migEnabled");
    }
    String profile = mig().profile().orElse("a MIG device");
    return "%s not fit into what \"%s\" holds%s"
        .formatted(
            candidates.count() == 1
                ? profile + " does"
                : candidates.count() + " of " + profile + " do",
            name,
            isForInstance() ? "" : ": " + GpuOccupancy.full(divided, candidates));
  }

  private DeviceKind.Mig mig() {
    return (DeviceKind.Mig) candidates.subRequest().kind();
  }

  private boolean isForInstance() {
    return candidates.instance().isPresent();
  }

  private String gpuInstance() {
    return mig().gpuInstance().orElseThrow();
  }

  private boolean canBeDivided(GpuCandidate candidate) {
    return isForInstance()
        ? candidate.heldBy(parent.uid()).anyMatch(this::isGpuInstance)
            || wanted.stream().anyMatch(one -> cuts(one, candidate))
        : candidate.gpu().mig().mode() == MigMode.ENABLED
            && (candidate.heldBy(parent.uid()).anyMatch(part -> part instanceof Part.Whole)
                || wanted.stream().anyMatch(one -> one.accepts(candidate)));
  }

  private boolean isGpuInstance(Part part) {
    return part instanceof Part.Slice slice && slice.profile().equals(gpuInstance());
  }

  private boolean cuts(RequestCandidates ofParent, GpuCandidate candidate) {
    return ofParent.instance().isEmpty()
        && ofParent.cutsOf(candidate).stream()
            .anyMatch(cut -> cut.profile().name().equals(gpuInstance()));
  }
}
