package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GrantedDevice;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Chooses devices for the claims of one pod on one node: all claims or none.
 *
 * <p>Exact: a batch that can be placed is placed, which first-fit does not do. Deterministic: the
 * most constrained claim chooses first (fewest candidates to spare, then UID), each time the best
 * device by {@link Preference} that leaves the others satisfiable. Up to 64 devices.
 */
public final class Placer {

  private Placer() {}

  /**
   * A pure function. Claims of the batch that hold devices of this node already keep them, whatever
   * else is true of the node.
   */
  public static Placement place(NodeLedger ledger, PodRequest request) {
    Room room = Room.of(ledger, request);
    Optional<Placement.DoesNotFit> refusal = room.refusal();
    return refusal.isPresent() ? refusal.get() : fits(room);
  }

  /** What {@link #place} would answer if it refused; costs less, since no device is chosen. */
  public static Optional<Placement.DoesNotFit> refusal(NodeLedger ledger, PodRequest request) {
    return Room.of(ledger, request).refusal();
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
      all.put(room.open().get(claim).uid(), devices(gpus, chosen));
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
      ImmutableList<Gpu> gpus, Set<Integer> chosen) {
    return chosen.stream()
        .map(gpus::get)
        .map(gpu -> new GrantedDevice(gpu.name(), gpu.uuid()))
        .collect(ImmutableList.toImmutableList());
  }
}
