package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
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
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.GroupTrial;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.controller.view.dryrun.QuotaReleaseSearch;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.controller.view.dryrun.ReleaseSearch;
import io.gpudra.controller.view.explain.WaitDetails.Eviction;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Evaluates with the driver which nodes fit. */
record NodeEvaluator(ObjectLookup lookup) {
  private static final HoldOwner ASKER = new HoldOwner("explain");
  private static final NodeSuitability NO_REFUSALS = new NodeSuitability(ImmutableMap.of());

  /**
   * The driver's answer.
   *
   * @param nodes the evaluated nodes
   * @param limit the reason that is none of a node
   */
  record Verdict(
      ImmutableSet<String> nodes, NodeSuitability suitability, Optional<UnsuitableReason> limit) {
    static final Verdict NOT_EVALUATED = of(ImmutableSet.of(), NO_REFUSALS);

    private static Verdict of(ImmutableSet<String> nodes, NodeSuitability suitability) {
      return new Verdict(nodes, suitability, Optional.empty());
    }

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
    Verdict verdict = Verdict.of(nodes, lookup.podClaims().suitability(pending, nodes));
    return verdict.fitting().stream()
        .findFirst()
        .flatMap(node -> limit(pending.pendingClaims(), node))
        .map(limit -> new Verdict(nodes, verdict.suitability(), Optional.of(limit)))
        .orElse(verdict);
  }

  /** The limit that the claims would exceed. */
  private Optional<UnsuitableReason> limit(
      ImmutableList<PendingClaim<GpuRequest>> claims, String node) {
    return trial(claims, new NodeChoice.OneNode(node)) instanceof Allocation.Limited limited
        ? Optional.of(limited.why())
        : Optional.empty();
  }

  /** The allocation that the driver would make; nothing stays allocated. */
  private Allocation trial(ImmutableList<PendingClaim<GpuRequest>> claims, NodeChoice where) {
    GpuDriver driver = cluster().driver();
    Allocation allocation = driver.allocate(claims, where, ASKER);
    if (allocation instanceof Allocation.Held) {
      claims.forEach(claim -> driver.release(claim.claim().uid(), ASKER));
    }
    return allocation;
  }

  /** The answer for a claim that may be allocated on any node. */
  Verdict anywhere(PendingClaim<GpuRequest> claim) {
    Allocation allocation =
        trial(ImmutableList.of(claim), new NodeChoice.AnyNode(ImmutableSet::of));
    if (allocation instanceof Allocation.Held held) {
      return Verdict.of(ImmutableSet.of(held.node()), NO_REFUSALS);
    }
    if (allocation instanceof Allocation.Limited limited) {
      return new Verdict(ImmutableSet.of(), NO_REFUSALS, Optional.of(limited.why()));
    }
    NodeSuitability why = ((Allocation.Refused) allocation).why();
    return Verdict.of(why.refusingNodes(), why);
  }

  /**
   * Finds claims whose release would help on one of these nodes.
   *
   * @param priority that of the pod that waits
   */
  Help help(
      Verdict verdict,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Set<String> where,
      int priority) {
    ImmutableList<String> nodes = verdict.nearestFirst(where);
    QueryDeadline deadline = QueryDeadline.ofAPerson();
    ReleaseRemedy any = ReleaseSearch.of(cluster(), claims, nodes, every -> true, deadline);
    if (!(any instanceof ReleaseRemedy.Release release)) {
      return new Help(any, ImmutableMap.of(), ImmutableList.of());
    }
    ReleaseRemedy lower =
        ReleaseSearch.of(cluster(), claims, nodes, claim -> isLower(claim, priority), deadline);
    NodeLedger ledger = cluster().ledgers().ledger(release.node());
    return new Help(any, since(ledger, release.blockers()), evictions(lower));
  }

  /** The limit that all members of a group together would exceed. */
  Optional<UnsuitableReason> limit(ImmutableList<Member<GpuRequest>> members) {
    GroupTrial trial = new GroupTrial(cluster().ledgers(), members.get(0).pod());
    GroupPlacing placing = trial.place(members, ImmutableSet::of);
    if (placing instanceof GroupPlacing.Placed placed) {
      placed.handles().keySet().forEach(claim -> cluster().driver().release(claim, trial.owner()));
    }
    return placing instanceof GroupPlacing.Limited limited
        ? Optional.of(limited.why())
        : Optional.empty();
  }

  /** A remedy with the times when its claims were allocated. */
  Help help(ReleaseRemedy remedy) {
    return new Help(
        remedy,
        remedy instanceof ReleaseRemedy.Claims release
            ? since(release.blockers())
            : ImmutableMap.of(),
        ImmutableList.of());
  }

  /** Finds claims of the namespace after whose release its quotas allow these. */
  Help quotaHelp(ImmutableList<PendingClaim<GpuRequest>> claims) {
    return help(QuotaReleaseSearch.of(cluster(), claims, QueryDeadline.ofAPerson()));
  }

  private ImmutableMap<ClaimUid, Instant> since(ImmutableList<BlockingClaim> claims) {
    return cluster().ledgers().snapshot().stream()
        .flatMap(ledger -> since(ledger, claims).entrySet().stream())
        .collect(toImmutableMap(Map.Entry::getKey, Map.Entry::getValue, (first, second) -> first));
  }

  /** Whether the claim is in use, and by pods of lower priority only. */
  private boolean isLower(BlockingClaim claim, int priority) {
    ImmutableList<Integer> users =
        lookup
            .using(claim.ref())
            .map(pod -> pod.facts().rank().priority())
            .collect(toImmutableList());
    return claim.draining()
        || (!users.isEmpty() && users.stream().allMatch(other -> other < priority));
  }

  private ImmutableList<Eviction> evictions(ReleaseRemedy lower) {
    return lower instanceof ReleaseRemedy.Release release
        ? release.blockers().stream()
            .filter(claim -> !claim.draining())
            .flatMap(claim -> lookup.using(claim.ref()))
            .map(PodView::facts)
            .map(pod -> new Eviction(pod.ref(), pod.rank().priority()))
            .distinct()
            .collect(toImmutableList())
        : ImmutableList.of();
  }

  private static ImmutableMap<ClaimUid, Instant> since(
      NodeLedger ledger, ImmutableList<BlockingClaim> claims) {
    ImmutableMap.Builder<ClaimUid, Instant> since = ImmutableMap.builder();
    for (BlockingClaim blockingClaim : claims) {
      Optional.ofNullable(ledger.holds().get(blockingClaim.uid()))
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
