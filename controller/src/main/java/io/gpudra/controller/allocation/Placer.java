package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Reason;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
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
    ImmutableList<ClaimRequest> open =
        request.claims().stream()
            .filter(claim -> !ledger.holds().containsKey(claim.uid()))
            .collect(ImmutableList.toImmutableList());
    if (open.isEmpty()) {
      return new Placement.Fits(kept(ledger, request));
    }
    Optional<Refusal> node = Obstacles.ofNode(ledger);
    if (node.isPresent()) {
      return refused(open, node.get());
    }
    return placeOpen(ledger, request, open);
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

  private static Placement refused(Iterable<ClaimRequest> claims, Reason reason) {
    ImmutableMap.Builder<ClaimUid, Reason> reasons = ImmutableMap.builder();
    claims.forEach(claim -> reasons.put(claim.uid(), reason));
    return new Placement.DoesNotFit(reasons.buildOrThrow());
  }

  private static Placement placeOpen(
      NodeLedger ledger, PodRequest request, ImmutableList<ClaimRequest> open) {
    long free = ledger.freeMask();
    Map<ClaimUid, Reason> alone = new LinkedHashMap<>();
    long[] candidates = new long[open.size()];
    for (int i = 0; i < candidates.length; i++) {
      ClaimRequest claim = open.get(i);
      long matching = claim.condition().matching(ledger.inventory());
      candidates[i] = matching & free;
      Obstacles.ofName(ledger, claim)
          .or(() -> Shortage.of(ledger, claim, matching, free))
          .ifPresent(reason -> alone.put(claim.uid(), reason));
    }
    if (!alone.isEmpty()) {
      return new Placement.DoesNotFit(ImmutableMap.copyOf(alone));
    }
    Demands demands =
        new Demands(candidates, open.stream().mapToInt(ClaimRequest::count).toArray());
    return demands.satisfiable()
        ? fits(ledger, request, open, demands)
        : notTogether(request, open);
  }

  private static Placement notTogether(PodRequest request, ImmutableList<ClaimRequest> open) {
    return new Placement.DoesNotFit(
        open.stream()
            .collect(
                ImmutableMap.toImmutableMap(
                    ClaimRequest::uid, claim -> Refusal.notTogether(claim, request))));
  }

  private static Placement fits(
      NodeLedger ledger, PodRequest request, ImmutableList<ClaimRequest> open, Demands demands) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> all = ImmutableMap.builder();
    all.putAll(kept(ledger, request));
    Preference preference = new Preference(ledger.inventory().gpus(), ledger.freeMask());
    Demands rest = demands;
    for (int claim : mostConstrainedFirst(demands, open.size())) {
      Set<Integer> chosen = new TreeSet<>();
      while (rest.wants(claim)) {
        int device = choose(rest, claim, preference, open.get(claim).policy());
        preference.take(device);
        chosen.add(device);
        rest = rest.after(claim, device);
      }
      all.put(open.get(claim).uid(), devices(ledger.inventory().gpus(), chosen));
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
