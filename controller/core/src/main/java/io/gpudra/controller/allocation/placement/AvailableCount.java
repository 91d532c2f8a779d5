package io.gpudra.controller.allocation.placement;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.allocation.search.RequestCandidates;
import io.gpudra.controller.allocation.search.SearchProblem;
import io.gpudra.controller.allocation.search.TopologyGroup;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The number of devices of a node that suit a claim, regardless of the number that it requests. */
public final class AvailableCount {

  private AvailableCount() {}

  /** Sub-requests for the same devices, which are counted once. */
  private record Kind(DeviceKind kind, DevicePredicate devicePredicate) {}

  /**
   * The number over all alternatives: GPUs that suit, and MIG devices that exist or can be made.
   */
  public static int of(NodeLedger ledger, ClaimRequest claim) {
    return FaultIsolation.evaluate(() -> count(ledger, claim), why -> 0);
  }

  private static int count(NodeLedger ledger, ClaimRequest claim) {
    Set<Kind> ofMig = new HashSet<>();
    long gpus = 0;
    int slices = 0;
    for (DeviceSubRequest subRequest : subRequests(claim)) {
      if (!(subRequest.kind() instanceof DeviceKind.Mig)) {
        gpus |= subRequest.devicePredicate().matching(ledger.inventory());
      } else if (ofMig.add(new Kind(subRequest.kind(), subRequest.devicePredicate()))) {
        slices += slices(ledger, claim, subRequest);
      }
    }
    return Long.bitCount(gpus) + slices;
  }

  private static List<DeviceSubRequest> subRequests(ClaimRequest claim) {
    return claim.alternatives().stream().flatMap(way -> way.subRequests().stream()).toList();
  }

  private static int slices(NodeLedger ledger, ClaimRequest claim, DeviceSubRequest subRequest) {
    SearchProblem problem = SearchProblem.of(ledger, ImmutableList.of(claim));
    RequestCandidates candidates =
        RequestCandidates.of(problem.asking(claim), subRequest, TopologyGroup.ALL, problem);
    return problem.sites().stream().mapToInt(candidate -> of(candidates, candidate)).sum();
  }

  /** The number of MIG devices of one GPU, for the profile with the most. */
  static int of(RequestCandidates candidates, GpuCandidate candidate) {
    int existing = candidate.acceptsSlices() ? candidates.existingOf(candidate).size() : 0;
    int made =
        candidates.cutsOf(candidate).stream()
            .mapToInt(cut -> candidate.acceptsCuts() ? candidate.layout().most(cut.profile()) : 0)
            .max()
            .orElse(0);
    return existing + made;
  }
}
