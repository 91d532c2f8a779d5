package io.gpudra.controller.allocation;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Multiset;
import io.gpudra.controller.allocation.ImmediateNodeCache.NodeAnswers;
import io.gpudra.controller.allocation.LedgerStore.SwapResult;
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
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Commits batches: searches without a lock, then replaces the searched ledgers by their successors,
 * or searches again. Usable from any thread.
 */
final class CommitSearch {

  /** The number of searches for a batch on several nodes. */
  private static final int SEARCHES = 8;

  private final CommitGuard guard;
  private final LedgerStore store;
  private final ImmediateNodeCache immediateNodeCache;
  private final LongSupplier nanoTime;
  private volatile KeptAnswers kept;

  CommitSearch(
      CommitGuard guard,
      LedgerStore store,
      ImmediateNodeCache immediateNodeCache,
      LongSupplier nanoTime) {
    this.guard = guard;
    this.store = store;
    this.immediateNodeCache = immediateNodeCache;
    this.nanoTime = nanoTime;
    this.kept = new KeptAnswers(store, KeptNodes.NONE);
  }

  /** What is kept, and what was kept before. */
  record Replaced<K extends KeptNodes>(KeptNodes before, K now) {
    boolean isFreed(String node) {
      return before.concern(node) && !now.concern(node);
    }
  }

  /** See {@link Ledgers#keep}; to be called with the lock of the ledgers. */
  <K extends KeptNodes> Replaced<K> keep(K nodes) {
    KeptNodes before = kept.nodes();
    kept = new KeptAnswers(store, nodes);
    return new Replaced<>(before, nodes);
  }

  /** See {@link Ledgers#limit}. */
  Optional<CommitResult.Limited> limit(PodRequest request) {
    return guard.before(request) instanceof CommitGuard.Before.Limited limited
        ? Optional.of(new CommitResult.Limited(limited.limit()))
        : Optional.empty();
  }

  /** What is kept now refuses this. */
  KeptAnswers kept() {
    return kept;
  }

  /** See {@link Ledgers#commit}. */
  CommitResult commit(String node, PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    return guarded(request, possible -> commitOn(node, possible, owner, grantAudit));
  }

  /** See {@link Ledgers#commitBest}. */
  CommitResult commitBest(
      PodRequest request, SearchedNodes nodes, HoldOwner owner, GrantAudit grantAudit) {
    return guarded(request, possible -> commitChoosing(possible, nodes, owner, grantAudit));
  }

  private CommitResult guarded(PodRequest request, Function<PodRequest, CommitResult> commit) {
    CommitGuard.Before before = guard.before(request);
    return before instanceof CommitGuard.Before.GoOn goOn
        ? commit.apply(goOn.request())
        : new CommitResult.Limited(((CommitGuard.Before.Limited) before).limit());
  }

  private CommitResult commitOn(
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

  private CommitResult commitChoosing(
      PodRequest request, SearchedNodes nodes, HoldOwner owner, GrantAudit grantAudit) {
    Function<Proposal, Optional<CommitResult>> holding = holding(request, owner, grantAudit);
    while (true) {
      Optional<String> already = nodeInFlight(request, owner);
      if (already.isPresent()) {
        return commitOn(already.get(), request, owner, grantAudit);
      }
      Optional<NodeAnswers> verdict = verdict(request, nodes);
      if (verdict.isPresent() && verdict.get().fitting().isEmpty()) {
        return new CommitResult.NoNode(verdict.get().refusals());
      }
      NodeRanking ranking = new NodeRanking(request);
      SearchBudget budget = new SearchBudget();
      candidates(verdict, nodes)
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
  private Optional<NodeAnswers> verdict(PodRequest request, SearchedNodes nodes) {
    ClaimRequest first = request.claims().get(0);
    return request.claims().size() == 1 && store.whereabouts(first.uid()).isEmpty()
        ? Optional.of(nodes.verdict(immediateNodeCache, first))
        : Optional.empty();
  }

  private Stream<NodeLedger> candidates(Optional<NodeAnswers> verdict, SearchedNodes nodes) {
    return verdict
        .map(answers -> SearchedNodes.ledgers(store, answers.fitting()))
        .orElseGet(() -> nodes.candidates(store));
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

  /** The claims that hold devices of other nodes. */
  ImmutableMap<ClaimUid, UnsuitableReason> heldElsewhere(String node, PodRequest request) {
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
    SearchRetries searchRetries = new SearchRetries(store, request, nanoTime);
    KeptBudget keptBudget = new KeptBudget();
    return proposal ->
        FaultIsolation.evaluate(
                () -> hold(proposal, request, owner, grantAudit, keptBudget),
                why -> Optional.of(CommitResult.notJudged(proposal.seen().node(), request, why)))
            .or(() -> searchRetries.end(proposal.seen()));
  }

  /** Empty when the node or a claim's whereabouts changed since the proposal was made. */
  private Optional<CommitResult> hold(
      Proposal proposal,
      PodRequest request,
      HoldOwner owner,
      GrantAudit grantAudit,
      KeptBudget keptBudget) {
    KeptNodes asked = kept.nodes();
    String node = proposal.seen().node();
    if (keptBudget.isOver(asked, node)) {
      return Optional.of(new CommitResult.Refused(KeptBudget.refusal(node, request)));
    }
    CommitDraft draft = CommitDraft.of(proposal, request, owner, grantAudit);
    Optional<Placement.DoesNotFit> refusal = keptBudget.refusal(asked, draft);
    return refusal.isPresent()
        ? Optional.of(new CommitResult.Refused(ImmutableMap.of(node, refusal.get())))
        : swap(ImmutableList.of(draft), asked, grants -> new CommitResult.Committed(node, grants));
  }

  /**
   * Empty when a node, a claim's whereabouts or the kept nodes changed since.
   *
   * @param asked the kept nodes that allow it
   */
  @SuppressWarnings("ReferenceEquality") // Another value may refuse what this one allows.
  private Optional<CommitResult> swap(
      ImmutableList<CommitDraft> drafts,
      KeptNodes asked,
      Function<ImmutableMap<ClaimUid, Grant>, CommitResult> done) {
    SwapResult swapResult =
        store.replaceAll(
            drafts.stream()
                .map(draft -> new LedgerChange(draft.seen(), draft.next()))
                .collect(ImmutableList.toImmutableList()),
            () -> asked == kept.nodes() && drafts.stream().allMatch(this::isHeldByNoOther));
    if (swapResult instanceof SwapResult.Limited limited) {
      return Optional.of(new CommitResult.Limited(limited.limit()));
    }
    return swapResult instanceof SwapResult.Done
        ? Optional.of(
            done.apply(
                drafts.stream()
                    .flatMap(draft -> draft.grants().stream())
                    .collect(ImmutableMap.toImmutableMap(Grant::claim, grant -> grant))))
        : Optional.empty();
  }

  private boolean isHeldByNoOther(CommitDraft draft) {
    return heldByOthers(draft.seen(), draft.request(), draft.owner()).isEmpty();
  }

  /** See {@link Ledgers#commitAll}. */
  CommitResult commitAll(
      ImmutableMap<String, PodRequest> requests, HoldOwner owner, GrantAudit grantAudit) {
    ImmutableMap.Builder<String, PodRequest> possible = ImmutableMap.builder();
    for (Map.Entry<String, PodRequest> request : requests.entrySet()) {
      CommitGuard.Before before = guard.before(request.getValue());
      if (before instanceof CommitGuard.Before.Limited limited) {
        return new CommitResult.Limited(limited.limit());
      }
      possible.put(request.getKey(), ((CommitGuard.Before.GoOn) before).request());
    }
    return commitPossible(possible.buildOrThrow(), owner, grantAudit);
  }

  private CommitResult commitPossible(
      ImmutableMap<String, PodRequest> requests, HoldOwner owner, GrantAudit grantAudit) {
    Map<String, CommitDraft> drafts = new HashMap<>();
    Multiset<String> changes = HashMultiset.create();
    for (int i = 0; i < SEARCHES; i++) {
      changes.addAll(changed(drafts.values()));
      Optional<String> restless =
          changes.stream()
              .filter(node -> changes.count(node) >= SearchRetries.MAX_CHANGES)
              .findFirst();
      if (restless.isPresent()) {
        String node = restless.get();
        return SearchRetries.passedOver(node, requireNonNull(requests.get(node)));
      }
      Optional<CommitResult> done =
          FaultIsolation.evaluate(
              () -> holdAll(requests, owner, grantAudit, drafts),
              why -> Optional.of(notJudged(requests, why)));
      if (done.isPresent()) {
        return done.get();
      }
    }
    return new CommitResult.Changed();
  }

  /** The nodes that report something else since. */
  private ImmutableList<String> changed(Collection<CommitDraft> drafts) {
    return drafts.stream()
        .map(CommitDraft::seen)
        .filter(store::reportsOtherwise)
        .map(NodeLedger::node)
        .collect(ImmutableList.toImmutableList());
  }

  private static CommitResult notJudged(ImmutableMap<String, PodRequest> requests, String why) {
    return new CommitResult.Refused(
        ImmutableMap.copyOf(
            Maps.transformValues(
                requests, request -> Placement.DoesNotFit.notEvaluated(request, why))));
  }

  /**
   * Empty when a node or a claim's whereabouts changed since.
   *
   * @param drafts of earlier tries, by node, which stand for nodes that did not change
   */
  private Optional<CommitResult> holdAll(
      ImmutableMap<String, PodRequest> requests,
      HoldOwner owner,
      GrantAudit grantAudit,
      Map<String, CommitDraft> drafts) {
    KeptNodes asked = kept.nodes();
    drafts.values().removeIf(draft -> !isCurrent(draft));
    ImmutableMap.Builder<String, Placement.DoesNotFit> refusing = ImmutableMap.builder();
    for (Map.Entry<String, PodRequest> request : requests.entrySet()) {
      String node = request.getKey();
      if (!drafts.containsKey(node)) {
        NodeLedger seen = store.ledger(node);
        Placement placement = place(seen, request.getValue(), owner, new SearchBudget());
        if (placement instanceof Placement.DoesNotFit no) {
          refusing.put(node, no);
          continue;
        }
        Proposal proposal = new Proposal(seen, (Placement.Fits) placement);
        drafts.put(node, CommitDraft.of(proposal, request.getValue(), owner, grantAudit));
      }
      requireNonNull(drafts.get(node)).refusal(asked).ifPresent(no -> refusing.put(node, no));
    }
    ImmutableMap<String, Placement.DoesNotFit> refusals = refusing.buildOrThrow();
    return refusals.isEmpty()
        ? swap(inOrder(requests, drafts), asked, CommitResult.AllCommitted::new)
        : Optional.of(new CommitResult.Refused(refusals));
  }

  private static ImmutableList<CommitDraft> inOrder(
      ImmutableMap<String, PodRequest> requests, Map<String, CommitDraft> drafts) {
    return requests.keySet().stream()
        .map(node -> requireNonNull(drafts.get(node)))
        .collect(ImmutableList.toImmutableList());
  }

  private boolean isCurrent(CommitDraft draft) {
    return store.ledger(draft.seen().node()).equals(draft.seen()) && isHeldByNoOther(draft);
  }
}
