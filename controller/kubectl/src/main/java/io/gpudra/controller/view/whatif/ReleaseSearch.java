package io.gpudra.controller.view.whatif;

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
import io.gpudra.controller.reading.ClusterSnapshot;
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
  private static final Comparator<Blocker> WHOM_FIRST =
      Comparator.comparing((Blocker blocker) -> !blocker.draining())
          .thenComparing(blocker -> blocker.ref().toString())
          .thenComparing(Blocker::uid);

  /** A few microseconds each. */
  private static final int PLAIN_QUESTIONS = 200_000;

  /** Some hundred microseconds each, unless they are hard. */
  private static final int OTHER_QUESTIONS = 20_000;

  private final ClusterSnapshot cluster;
  private final Predicate<Blocker> proposable;
  private final PodRequest request;
  private final ImmutableSet<ClaimUid> own;
  private final Effort effort;

  private ReleaseSearch(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Predicate<Blocker> proposable,
      Effort effort) {
    this.cluster = cluster;
    this.proposable = proposable;
    this.request = GpuDriver.request(claims);
    this.own = own(claims);
    this.effort = effort;
  }

  /**
   * Finds the claims to release.
   *
   * @param claims pending claims of one pod; they fit on none of the nodes
   * @param nodes that the pod could run on with enough devices, in order of preference
   * @param proposable whether a claim may be proposed; claims of the pod itself never are
   * @param deadline after which it returns the best result so far
   */
  public static Remedy of(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Collection<String> nodes,
      Predicate<Blocker> proposable,
      Deadline deadline) {
    boolean plain = GpuDriver.request(claims).isPlain();
    Effort effort = new Effort(plain ? PLAIN_QUESTIONS : OTHER_QUESTIONS, deadline);
    return of(cluster, claims, nodes, proposable, effort);
  }

  static Remedy of(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      Collection<String> nodes,
      Predicate<Blocker> proposable,
      Effort effort) {
    return new ReleaseSearch(cluster, claims, proposable, effort).among(nodes);
  }

  /** Tries set sizes in ascending order, and the nodes in their order within each size. */
  private Remedy among(Collection<String> nodes) {
    Set<Object> known = new HashSet<>();
    List<Blocked> left = nodes.stream().map(this::blocked).toList();
    int most = 0;
    while (!effort.isOver() && !left.isEmpty()) {
      most++;
      List<Blocked> larger = new ArrayList<>();
      for (Blocked node : left) {
        if (most > 1 || (node.isHopeful() && known.add(node.likeness()))) {
          Optional<Remedy> found = release(node, most);
          if (found.isPresent()) {
            return found.get();
          }
          larger.add(node);
        }
      }
      left = larger;
    }
    return effort.isOver() ? new Remedy.NotWithin(Math.max(0, most - 1)) : new Remedy.NoneHelps();
  }

  private Optional<Remedy> release(Blocked node, int size) {
    Optional<BitSet> enough = node.within(size);
    return enough.map(some -> new Remedy.Release(node.node(), node.named(some), effort.isExact()));
  }

  private Blocked blocked(String node) {
    NodeLedger ledger = cluster.ledgers().ledger(node);
    return new Blocked(ledger, request, blockers(ledger), effort);
  }

  private ImmutableList<Blocker> blockers(NodeLedger ledger) {
    Map<ClaimUid, Blocker> all = new LinkedHashMap<>();
    ledger.holds().forEach((uid, hold) -> all.put(uid, new Blocker(uid, hold.ref(), false)));
    ledger.unreadable().forEach((uid, claim) -> all.put(uid, new Blocker(uid, claim.ref(), false)));
    ledger
        .inventory()
        .prepared()
        .forEach(one -> all.putIfAbsent(one.uid(), new Blocker(one.uid(), one.ref(), true)));
    return all.values().stream()
        .filter(blocker -> !own.contains(blocker.uid()) && proposable.test(blocker))
        .sorted(WHOM_FIRST)
        .collect(toImmutableList());
  }

  /** Allocated claims of the pod, which it keeps. */
  private static ImmutableSet<ClaimUid> own(ImmutableList<PendingClaim<GpuRequest>> claims) {
    return claims.stream()
        .flatMap(claim -> claim.pod().entries().stream())
        .map(PodUse.Entry::claim)
        .flatMap(Optional::stream)
        .filter(claim -> claim.allocation().isPresent())
        .map(ClaimFacts::uid)
        .collect(toImmutableSet());
  }
}
