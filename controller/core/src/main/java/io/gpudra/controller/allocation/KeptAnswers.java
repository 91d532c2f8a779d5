package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.Collections2;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.MapMaker;
import io.gpudra.controller.allocation.NodeRanking.Proposal;
import io.gpudra.controller.allocation.SuitabilityCache.RequestKey;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.Placement.DoesNotFit;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.HoldOwner;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The answers of {@link KeptNodes} before a commit. Each takes a search, so a pass gets few new
 * ones, and they are remembered while a node does not change: equal pods ask again and again.
 * Usable from any thread.
 */
final class KeptAnswers {
  /** The answers of a pass that are not known; nodes beyond them count as full. */
  private static final int MAX_QUESTIONS = 32;

  private static final int MAX_REQUESTS = 32;

  /** When all are remembered, a namespace with as many loses its own first. */
  private static final int SHARE = 8;

  /** The maximum bytes of a request that is remembered. */
  private static final int MAX_BYTES = 128 << 10;

  /** Multiples of the golden ratio, of which no regular part lies close together. */
  private static final double TURN = (Math.sqrt(5) - 1) / 2;

  /** Of a question, which holds nothing. */
  private static final HoldOwner ASKER = new HoldOwner("");

  private static final GrantAudit NEVER = new GrantAudit(0, Instant.EPOCH);

  private final LedgerStore store;
  private final KeptNodes keptNodes;

  private final AtomicLong passes = new AtomicLong();

  private final Cache<RequestKey, Known> known =
      CacheBuilder.newBuilder()
          // A part of the cache for each thread would have a part of the size.
          .concurrencyLevel(1)
          .maximumSize(MAX_REQUESTS)
          .build();

  /**
   * The answers to a request.
   *
   * @param namespace the first that asked
   */
  private record Known(String namespace, Map<NodeLedger, Optional<UnsuitableReason>> answers) {
    static Known ofNone(String namespace) {
      return new Known(namespace, new MapMaker().weakKeys().makeMap());
    }
  }

  KeptAnswers(LedgerStore store, KeptNodes keptNodes) {
    this.store = store;
    this.keptNodes = keptNodes;
  }

  /** What is kept. */
  KeptNodes nodes() {
    return keptNodes;
  }

  /**
   * The nodes in the order of one pass: with kept ones among them, from another one on each time.
   */
  Iterable<String> inTurn(ImmutableSet<String> nodes) {
    if (nodes.stream().noneMatch(keptNodes::concern)) {
      return nodes;
    }
    int first = (int) (passes.getAndIncrement() * TURN % 1 * nodes.size());
    return Iterables.concat(Iterables.skip(nodes, first), Iterables.limit(nodes, first));
  }

  /** The refusals of nodes that would fit, for one pass over nodes. */
  Function<String, Optional<DoesNotFit>> asking(PodRequest request) {
    return new Pass(request)::refusal;
  }

  private Map<NodeLedger, Optional<UnsuitableReason>> remembered(
      RequestKey request, String namespace) {
    if (known.size() >= MAX_REQUESTS && !known.asMap().containsKey(request)) {
      Collection<Known> own =
          Collections2.filter(known.asMap().values(), one -> one.namespace().equals(namespace));
      if (own.size() >= SHARE) {
        own.clear();
      }
    }
    return known.asMap().computeIfAbsent(request, key -> Known.ofNone(namespace)).answers();
  }

  /** Confined to one thread. */
  private final class Pass {
    private final PodRequest request;
    private final SearchBudget budget = new SearchBudget();
    private @Nullable Map<NodeLedger, Optional<UnsuitableReason>> answers;
    private int questions;

    Pass(PodRequest request) {
      this.request = request;
    }

    Optional<DoesNotFit> refusal(String node) {
      return keptNodes.concern(node, request)
          ? why(store.ledger(node)).map(why -> DoesNotFit.of(request, why))
          : Optional.empty();
    }

    private Optional<UnsuitableReason> why(NodeLedger seen) {
      if (RequestKey.isKnown(request, seen)) {
        return asked(seen);
      }
      Optional<UnsuitableReason> before = answers().get(seen);
      if (before != null) {
        return before;
      }
      long used = budget.used();
      boolean counts = questions < MAX_QUESTIONS;
      Optional<UnsuitableReason> why = asked(seen);
      if (counts && !budget.isShortBecauseOfOthers(used)) {
        answers().put(seen, why);
      }
      return why;
    }

    private Map<NodeLedger, Optional<UnsuitableReason>> answers() {
      if (answers == null) {
        String namespace = request.claims().get(0).ref().namespace();
        answers =
            RequestSize.of(request) > MAX_BYTES
                ? Known.ofNone(namespace).answers()
                : remembered(RequestKey.of(request), namespace);
      }
      return answers;
    }

    private Optional<UnsuitableReason> asked(NodeLedger seen) {
      if (questions == MAX_QUESTIONS) {
        return Optional.of(NodeRefusal.kept());
      }
      questions++;
      return PodPlacer.place(seen, request, budget) instanceof Placement.Fits fits
          ? CommitDraft.of(new Proposal(seen, fits), request, ASKER, NEVER).kept(keptNodes)
          : Optional.empty();
    }
  }
}
