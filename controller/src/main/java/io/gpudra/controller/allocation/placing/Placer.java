package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.Fence;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement.DoesNotFit;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Demands;
import io.gpudra.controller.allocation.search.Devices;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Chooses devices for the claims of one pod on one node: all claims or none.
 *
 * <p>Exact: a batch that can be placed is placed, which first-fit does not do. Deterministic. Where
 * all claims want a number of whole GPUs, the most constrained claim chooses first (fewest
 * candidates to spare, then UID), each time the best device by {@link Preference} that leaves the
 * others satisfiable; all else is searched for. Up to 64 devices.
 */
public final class Placer {

  private Placer() {}

  /**
   * A pure function. Claims of the batch that hold devices of this node already keep them, whatever
   * else is true of the node.
   *
   * @param budget of the pass over nodes that this is a part of
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

  /** What {@link #place} would answer if it refused; may cost less. */
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
    // Asked for each pod and node, nearly always of claims that hold nothing.
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
    Preference preference = new Preference(gpus, room.ledger().freeMask());
    Demands rest = room.demands();
    for (int claim : mostConstrainedFirst(rest, room.open().size())) {
      Set<Integer> chosen = new TreeSet<>();
      while (rest.wants(claim)) {
        int device = choose(rest, claim, preference, room.open().get(claim).policy());
        preference.take(device);
        chosen.add(device);
        rest = rest.after(claim, device);
      }
      all.put(room.open().get(claim).uid(), devices(gpus, chosen, room.open().get(claim).only()));
    }
    return new Placement.Fits(all.buildOrThrow());
  }

  private static int[] mostConstrainedFirst(Demands demands, int claims) {
    return IntStream.range(0, claims)
        .boxed()
        .sorted(Comparator.comparing(demands::slack))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static int choose(Demands rest, int claim, Preference preference, Policy policy) {
    long candidates = rest.candidates(claim);
    while (true) {
      int device = preference.best(candidates, policy);
      if (rest.after(claim, device).satisfiable()) {
        return device;
      }
      candidates &= ~(1L << device);
    }
  }

  private static ImmutableList<GrantedDevice> devices(
      ImmutableList<Gpu> gpus, Set<Integer> chosen, Wish wish) {
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    int position = 0;
    for (int device : chosen) {
      devices.add(Devices.whole(gpus.get(device), wish, position++));
    }
    return devices.build();
  }
}
