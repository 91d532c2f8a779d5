package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import io.gpudra.controller.allocation.ledger.Fence;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement.DoesNotFit;
import io.gpudra.controller.allocation.refusal.Obstacles;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.refusal.Shortage;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Demands;
import io.gpudra.controller.allocation.search.Devices;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Reason;
import io.gpudra.crds.model.node.Gpu;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Chooses devices for the claims of one pod on one node: all claims or none.
 *
 * <p>The result is exact, unlike first-fit: a batch that can be placed is placed. It is
 * deterministic. If all claims want a number of whole GPUs, {@link WholeGpus} chooses; otherwise a
 * search does. Limited to 64 devices.
 */
public final class Placer {

  private Placer() {}

  /**
   * A pure function. Claims of the batch that already hold devices of this node keep them,
   * regardless of the node's state.
   *
   * @param budget of the pass over all nodes
   */
  public static Placement place(NodeLedger ledger, PodRequest request, Budget budget) {
    return Fence.around(
        () -> judged(ledger, request, budget), why -> DoesNotFit.notJudged(request, why));
  }

  private static Placement judged(NodeLedger ledger, PodRequest request, Budget budget) {
    ImmutableList<ClaimRequest> open = open(ledger, request);
    if (!PodRequest.arePlain(open)) {
      Placement found = new Parts(ledger, request, open, budget).place();
      return found instanceof Placement.Fits fits ? and(kept(ledger, request), fits) : found;
    }
    Room room = Room.of(ledger, request, open);
    Optional<DoesNotFit> refusal = room.refusal();
    return refusal.isPresent() ? refusal.get() : fits(room);
  }

  /** The refusal of {@link #place}, if any; may cost less. */
  public static Optional<DoesNotFit> refusal(NodeLedger ledger, PodRequest request, Budget budget) {
    return Fence.around(
        () -> refused(ledger, request, budget),
        why -> Optional.of(DoesNotFit.notJudged(request, why)));
  }

  private static Optional<DoesNotFit> refused(
      NodeLedger ledger, PodRequest request, Budget budget) {
    ImmutableList<ClaimRequest> open = open(ledger, request);
    if (PodRequest.arePlain(open)) {
      return Room.of(ledger, request, open).refusal();
    }
    return new Parts(ledger, request, open, budget).refusal();
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

  private static Placement fits(Room room) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> all = ImmutableMap.builder();
    all.putAll(kept(room.ledger(), room.request()));
    ImmutableList<Gpu> gpus = room.ledger().inventory().gpus();
    for (WholeGpus.Served served : new WholeGpus(room).served()) {
      ClaimRequest claim = room.open().get(served.claim());
      all.put(claim.uid(), devices(gpus, served.chosen(), claim.only()));
    }
    return new Placement.Fits(all.buildOrThrow());
  }

  private static ImmutableList<GrantedDevice> devices(
      ImmutableList<Gpu> gpus, long chosen, Wish wish) {
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    int position = 0;
    for (long rest = chosen; rest != 0; rest &= rest - 1) {
      Gpu gpu = gpus.get(Long.numberOfTrailingZeros(rest));
      devices.add(Devices.whole(gpu, wish, position++));
    }
    return devices.build();
  }

  /**
   * The capacity of one node for the claims of one pod.
   *
   * @param open claims of the batch that hold nothing of the node yet
   * @param matching the devices that match each open claim, free or not, as bits
   * @param demands of the open claims, in their order
   */
  record Room(
      NodeLedger ledger,
      PodRequest request,
      ImmutableList<ClaimRequest> open,
      ImmutableLongArray matching,
      Demands demands) {

    static Room of(NodeLedger ledger, PodRequest request, ImmutableList<ClaimRequest> open) {
      long[] matching = new long[open.size()];
      long[] candidates = new long[open.size()];
      int[] wanted = new int[open.size()];
      for (int i = 0; i < wanted.length; i++) {
        matching[i] = open.get(i).only().condition().matching(ledger.inventory());
        long free = matching[i] & ledger.freeMask();
        candidates[i] = free & ~Taints.repelling(ledger.inventory(), open.get(i), free);
        wanted[i] = open.get(i).only().count();
      }
      return new Room(
          ledger,
          request,
          open,
          ImmutableLongArray.copyOf(matching),
          new Demands(candidates, wanted));
    }

    /** Empty when all open claims can have their devices at once. */
    Optional<Placement.DoesNotFit> refusal() {
      ImmutableMap<ClaimUid, Reason> reasons = reasons();
      return reasons.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(reasons));
    }

    private ImmutableMap<ClaimUid, Reason> reasons() {
      Optional<Refusal> node = Obstacles.ofNode(ledger);
      if (node.isPresent()) {
        return each(i -> node);
      }
      ImmutableMap<ClaimUid, Reason> alone = each(this::alone);
      if (!alone.isEmpty() || demands.satisfiable()) {
        return alone;
      }
      ImmutableList<ClaimRef> all = request.refs();
      return each(i -> Optional.of(new Refusal.NotTogether(open.get(i).ref(), all)));
    }

    private Optional<Refusal> alone(int claim) {
      return Obstacles.ofClaim(ledger, open.get(claim))
          .or(
              () ->
                  Shortage.of(
                      ledger, open.get(claim), matching.get(claim), demands.candidates(claim)));
    }

    private ImmutableMap<ClaimUid, Reason> each(IntFunction<Optional<Refusal>> reason) {
      ImmutableMap.Builder<ClaimUid, Reason> reasons = ImmutableMap.builder();
      for (int i = 0; i < open.size(); i++) {
        ClaimUid claim = open.get(i).uid();
        reason.apply(i).ifPresent(refusal -> reasons.put(claim, refusal));
      }
      return reasons.buildOrThrow();
    }
  }
}
