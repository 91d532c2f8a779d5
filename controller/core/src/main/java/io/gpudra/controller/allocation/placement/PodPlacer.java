package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement.DoesNotFit;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.BatchAssignment;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import java.util.Optional;

/**
 * Chooses devices for the claims of one pod on one node: all claims or none.
 *
 * <p>The result is exact, unlike that of first-fit: a batch that can be placed is placed. It is
 * deterministic. If all claims request a number of whole GPUs, {@link WholeGpus} chooses; otherwise
 * a search does. Limited to 64 devices.
 */
public final class PodPlacer {

  private PodPlacer() {}

  /**
   * A pure function. Claims of the batch that already hold devices of this node keep them,
   * regardless of the node's state.
   *
   * @param budget of the pass over all nodes
   */
  public static Placement place(NodeLedger ledger, PodRequest request, SearchBudget budget) {
    return FaultIsolation.evaluate(
        () -> placeUnchecked(ledger, request, budget),
        why -> DoesNotFit.notEvaluated(request, why));
  }

  private static Placement placeUnchecked(
      NodeLedger ledger, PodRequest request, SearchBudget budget) {
    ImmutableList<ClaimRequest> open = open(ledger, request);
    if (!PodRequest.arePlain(open)) {
      Placement found = new PartitionPlacer(ledger, request, open, budget).place();
      return found instanceof Placement.Fits fits ? and(kept(ledger, request), fits) : found;
    }
    if (!WholeGpuMatching.mayAsk(ledger, open, budget)) {
      return tooMany(open);
    }
    WholeGpuMatching matching = WholeGpuMatching.of(ledger, request, open);
    Optional<DoesNotFit> refusal = matching.refusal();
    return refusal.isPresent() ? refusal.get() : fits(matching);
  }

  /** The refusal of {@link #place}, if there is one; may cost less. */
  public static Optional<DoesNotFit> refusal(
      NodeLedger ledger, PodRequest request, SearchBudget budget) {
    return FaultIsolation.evaluate(
        () -> refused(ledger, request, budget),
        why -> Optional.of(DoesNotFit.notEvaluated(request, why)));
  }

  private static Optional<DoesNotFit> refused(
      NodeLedger ledger, PodRequest request, SearchBudget budget) {
    ImmutableList<ClaimRequest> open = open(ledger, request);
    if (!PodRequest.arePlain(open)) {
      return new PartitionPlacer(ledger, request, open, budget).refusal();
    }
    return WholeGpuMatching.mayAsk(ledger, open, budget)
        ? WholeGpuMatching.of(ledger, request, open).refusal()
        : Optional.of(tooMany(open));
  }

  /**
   * Whether {@link #place} fits; costs less than {@link #refusal}, since nothing is explained. A
   * failure is left to the caller: it decides nothing.
   */
  public static boolean hasRoom(NodeLedger ledger, PodRequest request, SearchBudget budget) {
    ImmutableList<ClaimRequest> open = open(ledger, request);
    return PodRequest.arePlain(open)
        ? refused(ledger, request, budget).isEmpty()
        : new PartitionPlacer(ledger, request, open, budget).hasRoom();
  }

  private static DoesNotFit tooMany(ImmutableList<ClaimRequest> open) {
    return new DoesNotFit(
        open.stream().collect(toImmutableMap(ClaimRequest::uid, claim -> NodeRefusal.tooMany())));
  }

  /** Claims of the batch that hold nothing of the node yet. */
  private static ImmutableList<ClaimRequest> open(NodeLedger ledger, PodRequest request) {
    // Called for each pod and node, nearly always for claims that hold nothing.
    boolean holds = false;
    for (ClaimRequest claim : request.claims()) {
      holds |= ledger.holds().containsKey(claim.uid());
    }
    return holds ? without(ledger, request) : request.claims();
  }

  private static ImmutableList<ClaimRequest> without(NodeLedger ledger, PodRequest request) {
    return request.claims().stream()
        .filter(claim -> !ledger.holds().containsKey(claim.uid()))
        .collect(ImmutableList.toImmutableList());
  }

  private static Placement and(
      ImmutableMap<ClaimUid, ImmutableList<GrantedDevice>> kept, Placement.Fits more) {
    return new Placement.Fits(
        ImmutableMap.<ClaimUid, ImmutableList<GrantedDevice>>builder()
            .putAll(kept)
            .putAll(more.devices())
            .buildOrThrow());
  }

  private static ImmutableMap<ClaimUid, ImmutableList<GrantedDevice>> kept(
      NodeLedger ledger, PodRequest request) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> kept = ImmutableMap.builder();
    for (ClaimRequest claim : request.claims()) {
      Hold hold = ledger.holds().get(claim.uid());
      if (hold != null) {
        kept.put(claim.uid(), hold.devices().distinct().collect(ImmutableList.toImmutableList()));
      }
    }
    return kept.buildOrThrow();
  }

  private static Placement fits(WholeGpuMatching matching) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> all = ImmutableMap.builder();
    all.putAll(kept(matching.ledger(), matching.request()));
    ImmutableList<Gpu> gpus = matching.ledger().inventory().gpus();
    for (WholeGpus.ClaimChoice claimChoice : new WholeGpus(matching).served()) {
      ClaimRequest claim = matching.open().get(claimChoice.claim());
      all.put(claim.uid(), devices(gpus, claimChoice.chosen(), claim.only()));
    }
    return new Placement.Fits(all.buildOrThrow());
  }

  private static ImmutableList<GrantedDevice> devices(
      ImmutableList<Gpu> gpus, long chosen, DeviceSubRequest subRequest) {
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    int position = 0;
    for (long rest = chosen; rest != 0; rest &= rest - 1) {
      Gpu gpu = gpus.get(Long.numberOfTrailingZeros(rest));
      devices.add(BatchAssignment.whole(gpu, subRequest, position++));
    }
    return devices.build();
  }
}
