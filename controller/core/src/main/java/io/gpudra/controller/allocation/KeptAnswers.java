package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.MapMaker;
import com.google.common.primitives.Ints;
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
import java.util.Map;
import java.util.Optional;
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

  /** The maximum bytes of all requests. */
  private static final int MAX_BYTES = 4 << 20;

  /** Of a question, which holds nothing. */
  private static final HoldOwner ASKER = new HoldOwner("");

  private static final GrantAudit NEVER = new GrantAudit(0, Instant.EPOCH);

  private final LedgerStore store;
  private final KeptNodes keptNodes;

  private final Cache<RequestKey, Map<NodeLedger, Optional<UnsuitableReason>>> known =
      CacheBuilder.newBuilder()
          // A part of the cache for each thread would have a part of the weight.
          .concurrencyLevel(1)
          .maximumWeight(MAX_BYTES)
          .weigher((RequestKey key, Object unused) -> weight(key))
          .build();

  KeptAnswers(LedgerStore store, KeptNodes keptNodes) {
    this.store = store;
    this.keptNodes = keptNodes;
  }

  private static int weight(RequestKey key) {
    return Ints.saturatedCast(Math.max(MAX_BYTES / MAX_REQUESTS, RequestSize.of(key.pod())));
  }

  /** What is kept. */
  KeptNodes nodes() {
    return keptNodes;
  }

  /** The refusals of nodes that would fit, for one pass over nodes. */
  Function<String, Optional<DoesNotFit>> asking(PodRequest request) {
    return new Pass(request)::refusal;
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
        answers =
            known
                .asMap()
                .computeIfAbsent(
                    RequestKey.of(request), unused -> new MapMaker().weakKeys().makeMap());
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
