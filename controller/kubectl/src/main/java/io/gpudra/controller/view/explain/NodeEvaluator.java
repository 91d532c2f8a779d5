package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.controller.view.dryrun.ReleaseSearch;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** Evaluates with the driver which nodes fit. */
record NodeEvaluator(ObjectLookup lookup) {
  private static final HoldOwner ASKER = new HoldOwner("explain");

  /**
   * The driver's answer.
   *
   * @param nodes the evaluated nodes
   */
  record Verdict(ImmutableSet<String> nodes, NodeSuitability suitability) {
    static final Verdict NOT_EVALUATED =
        new Verdict(ImmutableSet.of(), new NodeSuitability(ImmutableMap.of()));

    ImmutableSet<String> fitting() {
      return Sets.difference(nodes, suitability.refusingNodes()).immutableCopy();
    }

    /** Nodes with the smallest shortfall first. */
    ImmutableList<String> nearestFirst(Collection<String> some) {
      return some.stream()
          .sorted(Comparator.comparingInt(this::shortfall).thenComparing(node -> node))
          .collect(toImmutableList());
    }

    private int shortfall(String node) {
      return suitability.unsuitable().values().stream()
          .map(refusals -> refusals.get(node))
          .filter(reason -> reason != null)
          .mapToInt(UnsuitableReason::shortfall)
          .sum();
    }
  }

  /** The answer for a pod's pending claims, on the nodes that its other claims allow. */
  Verdict ofPod(PendingPod<GpuRequest> pending, ImmutableSet<String> offered) {
    ImmutableSet<String> nodes =
        Sets.union(nodes(), offered).stream()
            .filter(node -> !pending.tiedToAnother(node))
            .collect(toImmutableSet());
    return new Verdict(nodes, lookup.podClaims().suitability(pending, nodes));
  }

  /** The answer for a claim that may be allocated on any node; nothing stays allocated. */
  Verdict anywhere(PendingClaim<GpuRequest> claim) {
    GpuDriver driver = cluster().driver();
    Allocation allocation =
        driver.allocate(ImmutableList.of(claim), new NodeChoice.AnyNode(ImmutableSet::of), ASKER);
    if (allocation instanceof Allocation.Held held) {
      driver.release(claim.claim().uid(), ASKER);
      return new Verdict(ImmutableSet.of(held.node()), new NodeSuitability(ImmutableMap.of()));
    }
    NodeSuitability why = ((Allocation.Refused) allocation).why();
    return new Verdict(why.refusingNodes(), why);
  }

  /** Finds claims whose release would help on one of these nodes. */
  Help help(Verdict verdict, ImmutableList<PendingClaim<GpuRequest>> claims, Set<String> where) {
    ReleaseRemedy remedy =
        ReleaseSearch.of(
            cluster(), claims, verdict.nearestFirst(where), any -> true, QueryDeadline.ofAPerson());
    return new Help(
        remedy,
        remedy instanceof ReleaseRemedy.Release release ? since(release) : ImmutableMap.of());
  }

  private ImmutableMap<ClaimUid, Instant> since(ReleaseRemedy.Release release) {
    ImmutableMap<ClaimUid, Hold> holds = cluster().ledgers().ledger(release.node()).holds();
    ImmutableMap.Builder<ClaimUid, Instant> since = ImmutableMap.builder();
    for (BlockingClaim blockingClaim : release.blockers()) {
      Optional.ofNullable(holds.get(blockingClaim.uid()))
          .flatMap(Hold::inApi)
          .ifPresent(grant -> since.put(blockingClaim.uid(), grant.at()));
    }
    return since.buildOrThrow();
  }

  /** Schedulable nodes, as far as known without the scheduler. */
  ImmutableSet<String> open() {
    return cluster().ledgers().snapshot().stream()
        .map(ledger -> ledger.inventory().node())
        .filter(node -> node.ready() && !node.cordoned() && node.repellingTaints().isEmpty())
        .map(NodeState::name)
        .collect(toImmutableSet());
  }

  Optional<String> tie(PendingPod<GpuRequest> pending) {
    return pending.pinning().stream()
        .flatMap(claim -> claim.allocation().stream())
        .flatMap(granted -> granted.ours().stream())
        .flatMap(handle -> handle.node().stream())
        .findFirst();
  }

  private ImmutableSet<String> nodes() {
    return cluster().ledgers().snapshot().stream()
        .filter(ledger -> !(ledger.inventory().service() instanceof Service.Absent))
        .map(NodeLedger::node)
        .sorted()
        .collect(toImmutableSet());
  }

  private ClusterSnapshot cluster() {
    return lookup.clusterView().cluster();
  }
}
