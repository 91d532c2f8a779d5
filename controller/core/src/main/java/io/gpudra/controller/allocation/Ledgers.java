package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Inventory;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The ledgers of all nodes: the only place where devices are held. Usable from any thread.
 *
 * <p>Queries read immutable ledgers and never wait. A commit searches without a lock, then replaces
 * the searched ledger by its successor, or searches again ({@link SearchRetries}).
 */
public final class Ledgers {

  private final LedgerStore store;
  private final ImmediateNodeCache immediateNodeCache;
  private final SuitabilityCache cache;
  private final CommitSearch commits;
  private volatile Optional<LedgerListener> listener = Optional.empty();

  /** Ledgers without limits. */
  public Ledgers() {
    this(CommitGuard.NONE);
  }

  /** Ledgers whose commits this guard limits, and which no others change during a search. */
  public Ledgers(CommitGuard guard) {
    this(guard, () -> 0);
  }

  /**
   * Ledgers whose commits this guard limits.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public Ledgers(CommitGuard guard, LongSupplier nanoTime) {
    this.store = new LedgerStore(guard);
    this.immediateNodeCache = new ImmediateNodeCache(store);
    this.cache = new SuitabilityCache(store);
    this.commits = new CommitSearch(guard, store, immediateNodeCache, nanoTime);
  }

  /** Shows the ledgers of all nodes, none of which changes meanwhile; must return at once. */
  public void withAll(Consumer<Collection<NodeLedger>> reader) {
    store.withAll(reader);
  }

  /**
   * From now on, every commit leaves to others what is kept for them. What is not kept any more
   * counts as freed.
   *
   * @param nodes asked with the ledgers, of which none changes meanwhile; must return at once
   * @return what is kept
   */
  public <K extends KeptNodes> K keep(Function<Function<String, NodeLedger>, K> nodes) {
    Kept<K> kept =
        store.locked(
            () -> {
              CommitSearch.Replaced<K> replaced = commits.keep(nodes.apply(store::ledger));
              return new Kept<>(replaced.now(), store.freed(replaced::isFreed));
            });
    try {
      listener.ifPresent(
          who ->
              kept.freed().forEach(ledger -> who.freed(ledger.node(), Math.max(1, free(ledger)))));
    } finally {
      kept.freed().forEach(ledger -> store.notified(ledger.node()));
    }
    return kept.now();
  }

  /** What is kept, and what is kept no longer. */
  private record Kept<K>(K now, ImmutableList<NodeLedger> freed) {}

  private static int free(NodeLedger ledger) {
    return FaultIsolation.evaluate(() -> Long.bitCount(ledger.freeMask()), why -> 1);
  }

  /** The limit that keeps the request from being held on any node; nothing is searched for. */
  public Optional<CommitResult.Limited> limit(PodRequest request) {
    return commits.limit(request);
  }

  /**
   * Notifies this listener of changes from now on, and at once of all known nodes. Earlier, while
   * the claims of a cluster are read one by one, no claim waits, so single changes need no
   * listener.
   */
  public void setListener(LedgerListener who) {
    listener = Optional.of(who);
    snapshot().stream().map(LedgerChange::since).forEach(change -> change.notifyListener(who));
  }

  /** The node as known now; an unknown node has no inventory. */
  public NodeLedger ledger(String node) {
    return store.ledger(node);
  }

  /** The number of claims that hold devices on any node. */
  public int heldClaims() {
    return store.heldClaims();
  }

  /** All nodes, each at some moment during the call. */
  public ImmutableList<NodeLedger> snapshot() {
    return store.all();
  }

  /**
   * The reasons of those of these nodes on which the batch cannot be committed now. Changes
   * nothing. Claims that already hold devices of the node fit as they are: another pod can use such
   * a claim only there.
   */
  public ImmutableMap<String, Placement.DoesNotFit> refusals(
      ImmutableSet<String> nodes, PodRequest request, SearchBudget budget) {
    Function<String, Optional<Placement.DoesNotFit>> asking = cache.asking(request, budget);
    KeptAnswers answers = commits.kept();
    Function<String, Optional<Placement.DoesNotFit>> kept = answers.asking(request);
    ImmutableMap.Builder<String, Placement.DoesNotFit> refusing = ImmutableMap.builder();
    boolean nowhere = isNowhere(request);
    for (String node : answers.inTurn(nodes)) {
      ImmutableMap<ClaimUid, UnsuitableReason> elsewhere =
          nowhere ? ImmutableMap.of() : commits.heldElsewhere(node, request);
      Optional<Placement.DoesNotFit> answer =
          elsewhere.isEmpty()
              ? FaultIsolation.evaluate(
                  () -> asking.apply(node).or(() -> kept.apply(node)),
                  why -> Optional.of(Placement.DoesNotFit.notEvaluated(request, why)))
              : Optional.of(new Placement.DoesNotFit(elsewhere));
      answer.ifPresent(no -> refusing.put(node, no));
    }
    return refusing.buildOrThrow();
  }

  /** The reason of a node in a form that may be kept. */
  public UnsuitableReason kept(String node, UnsuitableReason reason) {
    return CachedReason.of(store, node, reason);
  }

  /**
   * Holds devices for all claims of the batch or none. A claim that this owner has in flight on the
   * node keeps its grant; one that is held in any other way refuses the batch.
   */
  public CommitResult commit(
      String node, PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    return commits.commit(node, request, owner, grantAudit);
  }

  /**
   * Holds devices on the best node that is ready, admits pods and is admitted by the classes; see
   * {@link NodeRanking}. A batch that this owner has in flight stays where it is.
   */
  public CommitResult commitBest(PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    return commits.commitBest(
        request, new SearchedNodes(Optional.empty(), ImmutableSet::of), owner, grantAudit);
  }

  /**
   * Like {@link #commitBest(PodRequest, HoldOwner, GrantAudit)}, but without reserved nodes.
   *
   * @param left the reserved nodes, read last: they include nodes that became free meanwhile
   */
  public CommitResult commitBestBut(
      Supplier<ImmutableSet<String>> left,
      PodRequest request,
      HoldOwner owner,
      GrantAudit grantAudit) {
    Supplier<ImmutableSet<String>> all = () -> union(store.unnotified(), left);
    return commits.commitBest(request, new SearchedNodes(Optional.empty(), all), owner, grantAudit);
  }

  /**
   * Like {@link #commitBestBut(Supplier, PodRequest, HoldOwner, GrantAudit)}.
   *
   * @param nodes the nodes to evaluate; absent: all
   */
  public CommitResult commitBestBut(
      Supplier<ImmutableSet<String>> left,
      Optional<ImmutableSet<String>> nodes,
      PodRequest request,
      HoldOwner owner,
      GrantAudit grantAudit) {
    return nodes.isPresent()
        ? commits.commitBest(request, new SearchedNodes(nodes, left), owner, grantAudit)
        : commitBestBut(left, request, owner, grantAudit);
  }

  /** Reads {@code unnotified} first: then a listener reserves the node, so no node is missed. */
  private static ImmutableSet<String> union(
      ImmutableSet<String> untold, Supplier<ImmutableSet<String>> left) {
    return Sets.union(untold, left.get()).immutableCopy();
  }

  /** Like {@link #commitBest(PodRequest, HoldOwner, GrantAudit)}, but only on these nodes. */
  public CommitResult commitBest(
      PodRequest request, ImmutableSet<String> nodes, HoldOwner owner, GrantAudit grantAudit) {
    return commits.commitBest(
        request, new SearchedNodes(Optional.of(nodes), ImmutableSet::of), owner, grantAudit);
  }

  private boolean isNowhere(PodRequest request) {
    return request.claims().stream().allMatch(claim -> store.whereabouts(claim.uid()).isEmpty());
  }

  /**
   * Holds devices for all claims of all these nodes or none; a batch that this owner has in flight
   * stays where it is.
   *
   * @param requests by node, each for the claims of one or several pods
   */
  public CommitResult commitAll(
      ImmutableMap<String, PodRequest> requests, HoldOwner owner, GrantAudit grantAudit) {
    return commits.commitAll(requests, owner, grantAudit);
  }

  /** The owner's write is in the API: from now on the observed state decides. */
  public void granted(ClaimUid claim, HoldOwner owner) {
    emit(store.changeWhereHeld(claim, Optional.empty(), ledger -> ledger.settled(claim, owner)));
  }

  /**
   * Releases the devices of the claim; those of a commit in flight only for its owner. An
   * unreadable handle blocks its node until the API no longer shows it.
   */
  public void release(ClaimUid claim, HoldOwner owner) {
    emit(store.changeWhereHeld(claim, Optional.empty(), ledger -> ledger.released(claim, owner)));
  }

  /** Whether the claim can be deallocated; see {@link NodeLedger#surplus}. */
  public boolean isSurplus(ClaimUid claim) {
    return store.whereabouts(claim).stream()
        .map(store::ledger)
        .anyMatch(
            node -> FaultIsolation.evaluate(() -> node.surplus().containsKey(claim), why -> false));
  }

  /**
   * Whether a node may have prepared the claim without a report. While a node has never reported,
   * the claims that it has prepared are unknown.
   */
  public boolean mayStillBePrepared(ClaimUid claim) {
    return snapshot().stream()
        .anyMatch(ledger -> ledger.unseen().containsKey(claim) || ledger.awaited());
  }

  /**
   * The state of a claim in the API now. Adds, moves or removes its grant; never ends a commit in
   * flight.
   */
  public void observe(ClaimRef ref, ClaimUid claim, Optional<Grant> inApi) {
    emit(
        store.changeWhereHeld(
            claim,
            inApi.map(Grant::node),
            ledger -> ledger.observed(claim, ref, inApi.filter(ledger::isOn))));
  }

  /** The claim's object is gone, so there are no more requests for it. */
  public void gone(ClaimUid claim) {
    cache.gone(claim);
    immediateNodeCache.gone(claim);
  }

  /** The API shows a handle of this node that cannot be read: the node gets no new grants. */
  public void observeUnreadable(ClaimUid claim, String node, NodeLedger.Unreadable handle) {
    emit(
        store.changeWhereHeld(
            claim,
            Optional.of(node),
            ledger ->
                ledger.node().equals(node)
                    ? ledger.observed(claim, handle)
                    : ledger.observed(claim, handle.ref(), Optional.empty())));
  }

  /** The newest state of a node. */
  public void observe(Inventory inventory) {
    emit(
        store.change(inventory.node().name(), ledger -> ledger.with(inventory)).stream()
            .collect(ImmutableList.toImmutableList()));
  }

  /** The node's prepared claims were reported, even if unchanged. */
  public void nodeSpoke(String node) {
    emit(store.change(node, NodeLedger::spoken).stream().collect(ImmutableList.toImmutableList()));
  }

  /** The node is gone; its grants stay held until the API drops them. */
  public void nodeGone(String node) {
    observe(NodeLedger.unknown(node).inventory());
    nodeSpoke(node);
  }

  private void emit(ImmutableList<LedgerChange> changes) {
    try {
      listener.ifPresent(who -> changes.forEach(change -> change.notifyListener(who)));
    } finally {
      changes.forEach(change -> store.notified(change.after().node()));
    }
  }
}
