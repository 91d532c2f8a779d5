package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A node on which a pod does not fit, and the claims that could be released there. Bit <i>i</i> of
 * a set is blocker <i>i</i>. Requires that the placer is monotonic: a release never prevents a fit.
 */
final class BlockedNode {
  private final NodeLedger ledger;
  private final PodRequest request;
  private final ImmutableList<BlockingClaim> blockers;
  private final DryRunBudget dryRunBudget;
  private final Map<BitSet, Boolean> known = new HashMap<>();

  /**
   * A node that has not been searched yet.
   *
   * @param blockers in order of preference
   */
  BlockedNode(
      NodeLedger ledger,
      PodRequest request,
      ImmutableList<BlockingClaim> blockers,
      DryRunBudget dryRunBudget) {
    this.ledger = ledger;
    this.request = request;
    this.blockers = blockers;
    this.dryRunBudget = dryRunBudget;
  }

  String node() {
    return ledger.node();
  }

  ImmutableList<BlockingClaim> named(BitSet some) {
    return some.stream().mapToObj(blockers::get).collect(ImmutableList.toImmutableList());
  }

  /** Whether the pod would fit if all blockers were released. */
  boolean isHopeful() {
    return fitsWithout(allBlockers());
  }

  /**
   * Equal for nodes with equal answers for all sets of blockers. Whole-GPU requests compare the
   * matching, tainted and free GPUs and their holders. Any other node is only equal to itself.
   */
  Object likeness() {
    boolean named =
        request.claims().stream().anyMatch(claim -> NodeFilters.mayKnow(ledger, claim))
            || !ledger.unreadable().isEmpty();
    return named || !request.isPlain()
        ? this
        : ImmutableList.of(
            request.claims().stream()
                .map(claim -> claim.only().devicePredicate().matching(ledger.inventory()))
                .toList(),
            ledger.inventory().gpus().stream().map(Gpu::taints).toList(),
            ledger.freeMask(),
            without(allBlockers()).freeMask(),
            blockers.stream().map(this::devices).toList());
  }

  /** The numbers of the GPUs that the claim holds, whole or in part. */
  private ImmutableList<Integer> devices(BlockingClaim blockingClaim) {
    Set<String> uuids = new HashSet<>();
    Hold hold = ledger.holds().get(blockingClaim.uid());
    if (hold != null) {
      hold.devices().forEach(device -> uuids.add(device.uuid()));
    }
    ledger.inventory().prepared().stream()
        .filter(claim -> claim.uid().equals(blockingClaim.uid()))
        .forEach(claim -> uuids.addAll(claim.deviceUuids()));
    ImmutableList<Gpu> gpus = ledger.inventory().gpus();
    return IntStream.range(0, gpus.size())
        .filter(i -> uuids.contains(gpus.get(i).uuid()))
        .boxed()
        .collect(ImmutableList.toImmutableList());
  }

  /** A set of at most this many blockers whose release is enough. */
  Optional<BitSet> within(int most) {
    return within(new BitSet(), most, new HashSet<>());
  }

  /**
   * Tries the members of one core, since each solution contains a member of every {@link #core}.
   */
  private Optional<BitSet> within(BitSet gone, int more, Set<BitSet> tried) {
    if (fitsWithout(gone)) {
      return Optional.of(gone);
    }
    if (more == 0 || dryRunBudget.isOver() || !tried.add(gone) || fewestBeside(gone, more) > more) {
      return Optional.empty();
    }
    return core(gone).stream()
        .mapToObj(blocker -> and(gone, blocker))
        .flatMap(next -> within(next, more - 1, tried).stream())
        .findFirst();
  }

  /**
   * A lower bound of the further releases: disjoint cores need one release each. Counts to one
   * above the limit at most.
   */
  private int fewestBeside(BitSet gone, int limit) {
    BitSet without = copy(gone);
    int cores = 0;
    while (cores <= limit && !fitsWithout(without) && !dryRunBudget.isOver()) {
      without.or(core(without));
      cores++;
    }
    return cores;
  }

  /** A minimal set of blockers without {@code gone}, of which one must be released. */
  private BitSet core(BitSet gone) {
    BitSet core = allBlockers();
    core.andNot(gone);
    BitSet others = copy(gone);
    for (int blocker = core.previousSetBit(blockers.size());
        blocker >= 0;
        blocker = core.previousSetBit(blocker - 1)) {
      others.set(blocker);
      if (fitsWithout(others)) {
        others.clear(blocker);
      } else {
        core.clear(blocker);
      }
    }
    return core;
  }

  private boolean fitsWithout(BitSet gone) {
    Boolean before = known.get(gone);
    if (before != null) {
      return before;
    }
    boolean fits = dryRunBudget.spend() && fitsOn(without(gone));
    known.put(copy(gone), fits);
    return fits;
  }

  private boolean fitsOn(NodeLedger freed) {
    Optional<Placement.DoesNotFit> refusal = PodPlacer.refusal(freed, request, new SearchBudget());
    refusal.ifPresent(no -> dryRunBudget.refused(no.reasons().values()));
    return refusal.isEmpty();
  }

  private NodeLedger without(BitSet gone) {
    return without(ledger, named(gone));
  }

  /** The node after the release of these claims. */
  static NodeLedger without(NodeLedger ledger, Collection<BlockingClaim> gone) {
    Set<ClaimUid> uids = gone.stream().map(BlockingClaim::uid).collect(Collectors.toSet());
    return ledger.released(uids).with(without(ledger.inventory(), uids)).spoken();
  }

  /** The inventory without these prepared claims. */
  static Inventory without(Inventory all, Set<ClaimUid> gone) {
    if (all.prepared().stream().noneMatch(claim -> gone.contains(claim.uid()))) {
      return all;
    }
    return new Inventory(
        all.node(),
        all.driverVersion(),
        all.cudaDriverVersion(),
        all.gpus(),
        all.links(),
        all.prepared().stream()
            .filter(claim -> !gone.contains(claim.uid()))
            .collect(ImmutableList.toImmutableList()),
        all.handleFormat(),
        all.service());
  }

  private BitSet allBlockers() {
    BitSet all = new BitSet();
    all.set(0, blockers.size());
    return all;
  }

  private static BitSet and(BitSet some, int one) {
    BitSet more = copy(some);
    more.set(one);
    return more;
  }

  private static BitSet copy(BitSet some) {
    return (BitSet) some.clone();
  }
}
