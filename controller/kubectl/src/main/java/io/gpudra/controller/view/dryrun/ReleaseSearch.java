package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds the smallest set of claims whose release lets a pod fit on a node. Includes claims that are
 * deallocated but still prepared. Exact within its budget. Among sets of equal size it prefers the
 * first node, and there claims that are already being released.
 */
public final class ReleaseSearch {
  private static final Comparator<BlockingClaim> WHOM_FIRST =
      Comparator.comparing((BlockingClaim blockingClaim) -> !blockingClaim.draining())
          .thenComparing(blockingClaim -> blockingClaim.ref().toString())
          .thenComparing(BlockingClaim::uid);

  /** Such an evaluation takes a few microseconds. */
  private static final int PLAIN_QUESTIONS = 200_000;

  /** Such an evaluation takes some hundred microseconds, unless it is hard. */
  private static final int OTHER_QUESTIONS = 20_000;

  private final ClusterSnapshot cluster;
  private final Predicate<BlockingClaim> proposable;
  private final PodRequest request;
  private final ImmutableSet<ClaimUid> own;
  private final DryRunBudget dryRunBudget;

  private ReleaseSearch(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Predicate<BlockingClaim> proposable,
      DryRunBudget dryRunBudget) {
    this.cluster = cluster;
    this.proposable = proposable;
    this.request = GpuDriver.request(claims);
    this.own = own(claims);
    this.dryRunBudget = dryRunBudget;
  }

  /**
   * Finds the claims to release.
   *
   * @param claims pending claims of one pod; they fit on none of the nodes
   * @param nodes on which the pod could run with enough devices, in order of preference
   * @param proposable whether a claim may be proposed; claims of the pod itself never are
   * @param deadline after which it returns the best result so far
   */
  public static ReleaseRemedy of(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Collection<String> nodes,
      Predicate<BlockingClaim> proposable,
      QueryDeadline deadline) {
    boolean plain = GpuDriver.request(claims).isPlain();
    DryRunBudget dryRunBudget =
        new DryRunBudget(plain ? PLAIN_QUESTIONS : OTHER_QUESTIONS, deadline);
    return of(cluster, claims, nodes, proposable, dryRunBudget);
  }

  static ReleaseRemedy of(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Collection<String> nodes,
      Predicate<BlockingClaim> proposable,
      DryRunBudget dryRunBudget) {
    return new ReleaseSearch(cluster, claims, proposable, dryRunBudget).among(nodes);
  }

  /** Tries set sizes in ascending order, and the nodes in their order within each size. */
  private ReleaseRemedy among(Collection<String> nodes) {
    Set<Object> known = new HashSet<>();
    List<BlockedNode> left =
        nodes.stream().takeWhile(node -> !dryRunBudget.isOver()).map(this::blocked).toList();
    int most = 0;
    while (!dryRunBudget.isOver() && !left.isEmpty()) {
      most++;
      List<BlockedNode> larger = new ArrayList<>();
      for (BlockedNode node : left) {
        if (dryRunBudget.isOver()) {
          break;
        }
        if (most > 1 || (node.isHopeful() && known.add(node.likeness()))) {
          Optional<ReleaseRemedy> found = release(node, most);
          if (found.isPresent()) {
            return found.get();
          }
          larger.add(node);
        }
      }
      left = larger;
    }
    return dryRunBudget.isOver()
        ? new ReleaseRemedy.NotWithin(Math.max(0, most - 1))
        : new ReleaseRemedy.NoneHelps();
  }

  private Optional<ReleaseRemedy> release(BlockedNode node, int size) {
    Optional<BitSet> enough = node.within(size);
    return enough.map(
        some -> new ReleaseRemedy.Release(node.node(), node.named(some), dryRunBudget.isExact()));
  }

  private BlockedNode blocked(String node) {
    NodeLedger ledger = cluster.ledgers().ledger(node);
    return new BlockedNode(
        ledger,
        request,
        blockers(ledger, claim -> !own.contains(claim.uid()) && proposable.test(claim)),
        dryRunBudget);
  }

  /** The claims that may be released on a node, in order of preference. */
  static ImmutableList<BlockingClaim> blockers(
      NodeLedger ledger, Predicate<BlockingClaim> proposable) {
    Map<ClaimUid, BlockingClaim> all = new LinkedHashMap<>();
    ledger.holds().forEach((uid, hold) -> all.put(uid, new BlockingClaim(uid, hold.ref(), false)));
    ledger
        .unreadable()
        .forEach((uid, claim) -> all.put(uid, new BlockingClaim(uid, claim.ref(), false)));
    ledger
        .inventory()
        .prepared()
        .forEach(one -> all.putIfAbsent(one.uid(), new BlockingClaim(one.uid(), one.ref(), true)));
    return all.values().stream().filter(proposable).sorted(WHOM_FIRST).collect(toImmutableList());
  }

  /** Allocated claims of the pod, which it keeps. */
  static ImmutableSet<ClaimUid> own(ImmutableList<PendingClaim<GpuRequest>> claims) {
    return claims.stream()
        .flatMap(claim -> claim.pod().entries().stream())
        .map(PodUse.Entry::claim)
        .flatMap(Optional::stream)
        .filter(claim -> claim.allocation().isPresent())
        .map(ClaimFacts::uid)
        .collect(toImmutableSet());
  }
}
