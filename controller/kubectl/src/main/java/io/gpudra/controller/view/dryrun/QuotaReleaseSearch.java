package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingLong;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitGuard.Before;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.quota.QuotaBook;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds claims of a namespace after whose release its quotas allow the claims of a pod: one claim,
 * the smallest that is enough, or else few claims, the largest first.
 */
public final class QuotaReleaseSearch {
  private final QuotaBook book;
  private final PodRequest request;
  private final ImmutableList<QuotaLimit> limits;
  private final QueryDeadline deadline;

  /** The nodes without the claims that are released. */
  private final Map<String, NodeLedger> nodes = new HashMap<>();

  private record Holder(String node, BlockingClaim claim, QuotaCharge charge) {}

  private QuotaReleaseSearch(ClusterSnapshot cluster, PodRequest request, QueryDeadline deadline) {
    this.book = new QuotaBook((ref, uid) -> Optional.ofNullable(cluster.classNames().get(uid)));
    this.request = request;
    this.deadline = deadline;
    this.limits =
        cluster.quotas().uses(namespace()).stream().map(QuotaUse::limit).collect(toImmutableList());
    ImmutableList<NodeLedger> all = cluster.ledgers().snapshot();
    all.forEach(ledger -> book.changed(NodeLedger.unknown(ledger.node()), ledger));
    book.limits(namespace(), limits, all);
    all.forEach(ledger -> nodes.put(ledger.node(), ledger));
  }

  /**
   * Finds the claims to release.
   *
   * @param claims pending claims of one pod, which exceed a quota
   * @param deadline after which there is no answer
   */
  public static ReleaseRemedy of(
      ClusterSnapshot cluster,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      QueryDeadline deadline) {
    return new QuotaReleaseSearch(cluster, GpuDriver.request(claims), deadline)
        .among(ReleaseSearch.own(claims));
  }

  private String namespace() {
    return request.claims().get(0).ref().namespace();
  }

  private ReleaseRemedy among(ImmutableSet<ClaimUid> own) {
    ImmutableList<Holder> holders =
        nodes.values().stream()
            .flatMap(this::holders)
            .filter(holder -> !own.contains(holder.claim().uid()))
            .sorted(smallestFirst())
            .collect(toImmutableList());
    Optional<ReleaseRemedy> one =
        holders.stream()
            .takeWhile(unused -> !deadline.isOver())
            .filter(this::isEnough)
            .map(holder -> remedy(List.of(holder), /* exact= */ true))
            .findFirst();
    return one.orElseGet(() -> several(holders.reverse()));
  }

  private Stream<Holder> holders(NodeLedger ledger) {
    return ledger.holds().entrySet().stream()
        .filter(hold -> hold.getValue().ref().namespace().equals(namespace()))
        .map(
            hold ->
                new Holder(
                    ledger.node(),
                    new BlockingClaim(hold.getKey(), hold.getValue().ref(), /* draining= */ false),
                    QuotaCharge.of(ledger, hold.getKey())));
  }

  /** By what the quotas limit: GPUs, or memory alone. */
  private Comparator<Holder> smallestFirst() {
    boolean gpus = limits.stream().anyMatch(limit -> limit.thousandths().isPresent());
    return comparingLong(
            (Holder holder) -> gpus ? holder.charge().thousandths() : holder.charge().bytes())
        .thenComparing(holder -> holder.claim().ref().toString());
  }

  private static ReleaseRemedy remedy(List<Holder> holders, boolean exact) {
    return new ReleaseRemedy.Claims(
        holders.stream().map(Holder::claim).collect(toImmutableList()), exact);
  }

  private boolean isAllowed() {
    return book.before(request) instanceof Before.GoOn;
  }

  private boolean isEnough(Holder holder) {
    NodeLedger before = release(holder);
    boolean allowed = isAllowed();
    become(before);
    return allowed;
  }

  private NodeLedger release(Holder holder) {
    NodeLedger before = known(holder.node());
    BlockingClaim claim = holder.claim();
    become(before.observed(claim.uid(), claim.ref(), Optional.empty()));
    return before;
  }

  private NodeLedger known(String node) {
    return nodes.getOrDefault(node, NodeLedger.unknown(node));
  }

  private void become(NodeLedger after) {
    book.changed(known(after.node()), after);
    nodes.put(after.node(), after);
  }

  private ReleaseRemedy several(ImmutableList<Holder> largestFirst) {
    List<Holder> released = new ArrayList<>();
    for (Holder holder : largestFirst) {
      if (deadline.isOver()) {
        return new ReleaseRemedy.NotWithin(0);
      }
      NodeLedger unused = release(holder);
      released.add(holder);
      if (isAllowed()) {
        // Two of two or more that are needed cannot be fewer.
        return remedy(released, /* exact= */ released.size() == 2);
      }
    }
    return new ReleaseRemedy.NoneHelps();
  }
}
