package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multimaps;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.GpuCandidate;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Compares nodes for a batch for which we choose the node. The best has the smallest GPUs that
 * suffice. Then packing prefers, for parts of GPUs, the least room for the largest MIG devices and
 * the least memory left, and for whole GPUs the fewest free ones; spreading prefers the most. Ties
 * are broken by name, so the order of the nodes does not matter. Confined to one thread.
 */
final class NodeRanking {

  private record RankedProposal(Proposal proposal, long memory, FreeCapacity freeCapacity) {}

  /**
   * The free capacity of a node before the batch.
   *
   * @param largest MIG devices of the largest profile that could be made; 0 for whole GPUs
   * @param memory in bytes, also of GPUs in use for parts; 0 for whole GPUs
   * @param free the number of unused GPUs
   */
  private record FreeCapacity(int largest, long memory, int free) {
    private static final Comparator<FreeCapacity> BY_SIZE =
        Comparator.comparingInt(FreeCapacity::largest)
            .thenComparingLong(FreeCapacity::memory)
            .thenComparingInt(FreeCapacity::free);

    static FreeCapacity of(NodeLedger ledger, boolean forParts) {
      ImmutableList<GpuCandidate> candidates =
          forParts ? GpuCandidate.of(ledger) : ImmutableList.of();
      return new FreeCapacity(
          candidates.stream().mapToInt(GpuCandidate::largest).sum(),
          candidates.stream().mapToLong(GpuCandidate::memoryLeft).sum(),
          Long.bitCount(ledger.freeMask()));
    }
  }

  /** All that {@link NodeFilters#ofChoice} reads of a claim. */
  private record NodeWish(Optional<NodeDemand> demand, Optional<NodeSelector> admittedNodes) {
    static NodeWish of(ClaimRequest claim) {
      return new NodeWish(claim.demand(), claim.admittedNodes());
    }
  }

  private final PodRequest request;
  private final ImmutableListMultimap<NodeWish, ClaimRequest> byWish;
  private final TreeMap<String, Placement.DoesNotFit> refusals = new TreeMap<>();
  private final PriorityQueue<RankedProposal> offers;

  NodeRanking(PodRequest request) {
    this.request = request;
    this.byWish = Multimaps.index(request.claims(), NodeWish::of);
    boolean pack = request.claims().get(0).policy() == AllocationPolicy.PACK;
    this.offers =
        new PriorityQueue<>(
            Comparator.comparingLong(RankedProposal::memory)
                .thenComparing(
                    RankedProposal::freeCapacity,
                    pack ? FreeCapacity.BY_SIZE : FreeCapacity.BY_SIZE.reversed())
                .thenComparing(rankedProposal -> rankedProposal.proposal().seen().node()));
  }

  void consider(NodeLedger ledger, Placement placement) {
    FaultIsolation.evaluate(
        () -> rank(ledger, placement),
        why -> refuse(ledger, Placement.DoesNotFit.notEvaluated(request, why)));
  }

  private boolean refuse(NodeLedger ledger, Placement.DoesNotFit no) {
    refusals.put(ledger.node(), no);
    return false;
  }

  private boolean rank(NodeLedger ledger, Placement placement) {
    ImmutableMap<ClaimUid, UnsuitableReason> closed = closed(ledger);
    if (!closed.isEmpty()) {
      return refuse(ledger, new Placement.DoesNotFit(closed));
    }
    if (placement instanceof Placement.DoesNotFit no) {
      return refuse(ledger, no);
    }
    return offers.add(candidate(new Proposal(ledger, (Placement.Fits) placement)));
  }

  private ImmutableMap<ClaimUid, UnsuitableReason> closed(NodeLedger ledger) {
    ImmutableMap.Builder<ClaimUid, UnsuitableReason> reasons = ImmutableMap.builder();
    for (NodeWish wish : byWish.keySet()) {
      ImmutableList<ClaimRequest> claims = byWish.get(wish);
      NodeFilters.ofChoice(ledger.inventory().node(), claims.get(0))
          .ifPresent(reason -> claims.forEach(claim -> reasons.put(claim.uid(), reason)));
    }
    return reasons.buildOrThrow();
  }

  private RankedProposal candidate(Proposal proposal) {
    ImmutableSet<String> proposed =
        proposal.placement().devices().values().stream()
            .flatMap(devices -> devices.stream().map(GrantedDevice::uuid))
            .collect(ImmutableSet.toImmutableSet());
    long memory =
        proposal.seen().inventory().gpus().stream()
            .filter(gpu -> proposed.contains(gpu.uuid()))
            .map(Gpu::model)
            .mapToLong(model -> model.nominalMemoryBytes())
            .max()
            .orElse(0);
    return new RankedProposal(
        proposal, memory, FreeCapacity.of(proposal.seen(), !request.isPlain()));
  }

  /** The best node among those not returned before. */
  Optional<Proposal> best() {
    return Optional.ofNullable(offers.poll()).map(RankedProposal::proposal);
  }

  /** The best node cannot hold the batch. */
  void refused(ImmutableMap<String, Placement.DoesNotFit> reasons) {
    refusals.putAll(reasons);
  }

  /** The refusals by node name. */
  ImmutableMap<String, Placement.DoesNotFit> refusals() {
    return ImmutableMap.copyOf(refusals);
  }

  /** A placement and its ledger: valid only while that ledger is the newest. */
  record Proposal(NodeLedger seen, Placement.Fits placement) {

    /** The grants in the order of the batch; claims that hold devices keep theirs. */
    ImmutableList<Grant> grants(PodRequest request, GrantAudit grantAudit) {
      return request.claims().stream()
          .map(claim -> inFlight(claim, grantAudit))
          .collect(ImmutableList.toImmutableList());
    }

    /** The refusal of claims whose grants fit no handle; then no claim of the batch is held. */
    Optional<Placement.DoesNotFit> unwritable(ImmutableList<Grant> grants) {
      ImmutableMap<ClaimUid, UnsuitableReason> reasons =
          grants.stream()
              .filter(grant -> !HandleCodec.fits(grant))
              .collect(ImmutableMap.toImmutableMap(Grant::claim, Proposal::tooLarge));
      return reasons.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(reasons));
    }

    private static UnsuitableReason tooLarge(Grant grant) {
      return StatedReason.of(
          Kind.HANDLE_TOO_LARGE,
          "the names of %s GPUs of %s take more than the %s bytes of a handle",
          grant.devices().size(),
          grant.node(),
          HandleCodec.MAX_BYTES);
    }

    private Grant inFlight(ClaimRequest claim, GrantAudit grantAudit) {
      Hold hold = seen.holds().get(claim.uid());
      return hold == null
          ? grant(claim, grantAudit)
          : hold.inFlight().map(Hold.InFlight::grant).or(hold::inApi).orElseThrow();
    }

    private Grant grant(ClaimRequest claim, GrantAudit grantAudit) {
      ImmutableMap<?, ImmutableList<GrantedDevice>> devices = placement.devices();
      ImmutableList<GrantedDevice> own = devices.get(claim.uid());
      if (own == null) {
        throw new IllegalStateException("placement leaves out claim " + claim.ref());
      }
      return new Grant(
          claim.uid(), seen.node(), grantAudit.epoch(), claim.generation(), grantAudit.at(), own);
    }

    /** The ledger with all claims of the batch in flight. */
    NodeLedger committed(PodRequest request, ImmutableList<Grant> grants, HoldOwner owner) {
      NodeLedger next = seen;
      for (int i = 0; i < grants.size(); i++) {
        ClaimRequest claim = request.claims().get(i);
        if (!seen.holds().containsKey(claim.uid())) {
          next = next.committed(claim.ref(), grants.get(i), owner);
        }
      }
      return next;
    }
  }
}
