package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ImmediateNodeCache.NodeAnswers;
import io.gpudra.controller.allocation.NodeRanking.Proposal;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The ledgers of all nodes: the only place where devices are held. Usable from any thread.
 *
 * <p>Queries read immutable ledgers and never wait. A commit searches without a lock, then replaces
 * the searched ledger by its successor, or searches again ({@link SearchRetries}).
 */
public final class Ledgers {

  private final LedgerStore store = new LedgerStore();
  private final ImmediateNodeCache immediateNodeCache = new ImmediateNodeCache(store);
  private final SuitabilityCache cache = new SuitabilityCache(store);
  private volatile Optional<LedgerListener> listener = Optional.empty();

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
    ImmutableMap.Builder<String, Placement.DoesNotFit> refusing = ImmutableMap.builder();
    boolean nowhere = isNowhere(request);
    for (String node : nodes) {
      ImmutableMap<ClaimUid, UnsuitableReason> elsewhere =
          nowhere ? ImmutableMap.of() : heldElsewhere(node, request);
      Optional<Placement.DoesNotFit> answer =
          elsewhere.isEmpty()
              ? FaultIsolation.evaluate(
                  () -> asking.apply(node),
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
    Function<Proposal, Optional<CommitResult>> holding = holding(request, owner, grantAudit);
    while (true) {
      NodeLedger seen = store.ledger(node);
      Placement placement = place(seen, request, owner, new SearchBudget());
      if (placement instanceof Placement.DoesNotFit no) {
        return new CommitResult.Refused(ImmutableMap.of(node, no));
      }
      Optional<CommitResult> done = holding.apply(new Proposal(seen, (Placement.Fits) placement));
      if (done.isPresent()) {
        return done.get();
      }
    }
  }

  /**
   * The nodes among which the best is chosen.
   *
   * @param nodes absent: all
   * @param but nodes that are reserved for other waiters
   */
  private record Choice(Optional<ImmutableSet<String>> nodes, Supplier<ImmutableSet<String>> but) {
    NodeAnswers verdict(ImmediateNodeCache immediateNodeCache, ClaimRequest claim) {
      NodeAnswers all =
          nodes
              .map(some -> immediateNodeCache.of(claim, some))
              .orElseGet(() -> immediateNodeCache.of(claim));
      return all.but(but.get());
    }

    Stream<NodeLedger> candidates(LedgerStore store) {
      ImmutableSet<String> others = but.get();
      return nodes
          .map(some -> ledgers(store, some))
          .orElseGet(() -> store.all().stream())
          .filter(ledger -> !others.contains(ledger.node()));
    }

    static Stream<NodeLedger> ledgers(LedgerStore store, ImmutableSet<String> nodes) {
      return nodes.stream().flatMap(node -> store.find(node).stream());
    }
  }

  /**
   * Holds devices on the best node that is ready, admits pods and is admitted by the classes; see
   * {@link NodeRanking}. A batch that this owner has in flight stays where it is.
   */
  public CommitResult commitBest(PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    return commitBest(request, new Choice(Optional.empty(), ImmutableSet::of), owner, grantAudit);
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
    return commitBest(request, new Choice(Optional.empty(), all), owner, grantAudit);
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
        ? commitBest(request, new Choice(nodes, left), owner, grantAudit)
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
    return commitBest(request, new Choice(Optional.of(nodes), ImmutableSet::of), owner, grantAudit);
  }

  private CommitResult commitBest(
      PodRequest request, Choice choice, HoldOwner owner, GrantAudit grantAudit) {
    Function<Proposal, Optional<CommitResult>> holding = holding(request, owner, grantAudit);
    while (true) {
      Optional<String> already = nodeInFlight(request, owner);
      if (already.isPresent()) {
        return commit(already.get(), request, owner, grantAudit);
      }
      Optional<NodeAnswers> verdict = verdict(request, choice);
      if (verdict.isPresent() && verdict.get().fitting().isEmpty()) {
        return new CommitResult.NoNode(verdict.get().refusals());
      }
      NodeRanking ranking = new NodeRanking(request);
      SearchBudget budget = new SearchBudget();
      candidates(verdict, choice)
          .forEach(seen -> ranking.consider(seen, place(seen, request, owner, budget)));
      Optional<CommitResult> done = heldOnBest(ranking, holding);
      if (done.isPresent()) {
        return done.get() instanceof CommitResult.Refused
            ? new CommitResult.Refused(reasons(request, verdict, ranking))
            : done.get();
      }
    }
  }

  /** Holds devices on the best node, or on the next best; empty when a node changed since. */
  private static Optional<CommitResult> heldOnBest(
      NodeRanking ranking, Function<Proposal, Optional<CommitResult>> holding) {
    for (Optional<Proposal> best = ranking.best(); best.isPresent(); best = ranking.best()) {
      Optional<CommitResult> done = holding.apply(best.get());
      if (done.isEmpty() || !(done.get() instanceof CommitResult.Refused no)) {
        return done;
      }
      ranking.refused(no.reasons());
    }
    return Optional.of(new CommitResult.Refused(ranking.refusals()));
  }

  /** The answer for one claim that holds nothing; equal requests share it. */
  private Optional<NodeAnswers> verdict(PodRequest request, Choice choice) {
    ClaimRequest first = request.claims().get(0);
    return request.claims().size() == 1 && store.whereabouts(first.uid()).isEmpty()
        ? Optional.of(choice.verdict(immediateNodeCache, first))
        : Optional.empty();
  }

  private Stream<NodeLedger> candidates(Optional<NodeAnswers> verdict, Choice choice) {
    return verdict
        .map(answers -> Choice.ledgers(store, answers.fitting()))
        .orElseGet(() -> choice.candidates(store));
  }

  private static ImmutableMap<String, Placement.DoesNotFit> reasons(
      PodRequest request, Optional<NodeAnswers> verdict, NodeRanking ranking) {
    ClaimUid first = request.claims().get(0).uid();
    return ImmutableMap.<String, Placement.DoesNotFit>builder()
        .putAll(
            Maps.transformValues(
                verdict.map(NodeAnswers::refusals).orElse(ImmutableMap.of()),
                reason -> new Placement.DoesNotFit(ImmutableMap.of(first, reason))))
        .putAll(ranking.refusals())
        .buildKeepingLast();
  }

  private Optional<String> nodeInFlight(PodRequest request, HoldOwner owner) {
    ClaimUid first = request.claims().get(0).uid();
    return store.whereabouts(first).stream()
        .filter(node -> inFlightBy(owner, first, store.ledger(node)))
        .findFirst();
  }

  private static boolean inFlightBy(HoldOwner owner, ClaimUid claim, NodeLedger ledger) {
    Hold hold = ledger.holds().get(claim);
    return hold != null && hold.inFlightBy(owner);
  }

  private Placement place(
      NodeLedger seen, PodRequest request, HoldOwner owner, SearchBudget budget) {
    ImmutableMap<ClaimUid, UnsuitableReason> taken = heldByOthers(seen, request, owner);
    return taken.isEmpty()
        ? PodPlacer.place(seen, request, budget)
        : new Placement.DoesNotFit(taken);
  }

  private ImmutableMap<ClaimUid, UnsuitableReason> heldByOthers(
      NodeLedger seen, PodRequest request, HoldOwner owner) {
    ImmutableMap.Builder<ClaimUid, UnsuitableReason> held = ImmutableMap.builder();
    held.putAll(heldElsewhere(seen.node(), request));
    for (ClaimRequest claim : request.claims()) {
      if (seen.claims().contains(claim.uid()) && !inFlightBy(owner, claim.uid(), seen)) {
        held.put(claim.uid(), NodeRefusal.held(seen.node()));
      }
    }
    return held.buildKeepingLast();
  }

  private boolean isNowhere(PodRequest request) {
    return request.claims().stream().allMatch(claim -> store.whereabouts(claim.uid()).isEmpty());
  }

  private ImmutableMap<ClaimUid, UnsuitableReason> heldElsewhere(String node, PodRequest request) {
    ImmutableMap.Builder<ClaimUid, UnsuitableReason> held = ImmutableMap.builder();
    for (ClaimRequest claim : request.claims()) {
      store.whereabouts(claim.uid()).stream()
          .filter(other -> !other.equals(node))
          .findFirst()
          .ifPresent(other -> held.put(claim.uid(), NodeRefusal.held(other)));
    }
    return held.buildOrThrow();
  }

  private Function<Proposal, Optional<CommitResult>> holding(
      PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    SearchRetries searchRetries = new SearchRetries(store, request);
    return proposal ->
        FaultIsolation.evaluate(
                () -> hold(proposal, request, owner, grantAudit),
                why -> Optional.of(CommitResult.notJudged(proposal.seen().node(), request, why)))
            .or(() -> searchRetries.refusal(proposal.seen()));
  }

  /** Empty when the node or a claim's whereabouts changed since the proposal was made. */
  private Optional<CommitResult> hold(
      Proposal proposal, PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    NodeLedger seen = proposal.seen();
    ImmutableList<Grant> grants = proposal.grants(request, grantAudit);
    Optional<Placement.DoesNotFit> unwritable = proposal.unwritable(grants);
    if (unwritable.isPresent()) {
      return Optional.of(new CommitResult.Refused(ImmutableMap.of(seen.node(), unwritable.get())));
    }
    boolean held =
        store.replace(
            seen,
            proposal.committed(request, grants, owner),
            () -> heldByOthers(seen, request, owner).isEmpty());
    return held
        ? Optional.of(
            new CommitResult.Committed(seen.node(), Maps.uniqueIndex(grants, Grant::claim)))
        : Optional.empty();
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
      changes.forEach(store::notified);
    }
  }
}
