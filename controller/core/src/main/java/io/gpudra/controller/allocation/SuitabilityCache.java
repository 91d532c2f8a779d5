package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapMaker;
import io.gpudra.controller.allocation.ledger.NodeFingerprint;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement.DoesNotFit;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.memory.BoundedCache;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Caches the answers of nodes to pods that want more than a number of whole GPUs. kube-scheduler
 * asks for a pod, and for others of its deployment, again and again while few nodes change. Of many
 * nodes with equal fingerprints, only one is searched. A refusal after a whole budget is cached,
 * too, so each pass gets at least one node further. Plain requests need no cache. Usable from any
 * thread.
 */
final class SuitabilityCache {
  private static final NodeLedger NOWHERE = NodeLedger.unknown("");

  private final LedgerStore store;
  private final ConcurrentMap<String, KnownNode> nodes = new ConcurrentHashMap<>();

  /** The states by fingerprint, while some node has it. */
  private final Cache<NodeFingerprint, AnswerScope> alike =
      CacheBuilder.newBuilder().weakValues().build();

  private final BoundedCache<PodKey, RequestKey, CachedAnswers> boundedCache =
      new BoundedCache<>(MemoryBudget.REFUSALS, CachedAnswers::new, CachedAnswers::bytes);

  /** The state of one node, or of all nodes with equal fingerprints; replaced at each change. */
  private static final class AnswerScope {}

  /**
   * A node in one state.
   *
   * @param own for answers that hold for this node only
   * @param ofAlike for answers that hold for all nodes with its fingerprint; absent if the node has
   *     none
   */
  private record KnownNode(NodeLedger ledger, AnswerScope own, Optional<AnswerScope> ofAlike) {

    @SuppressWarnings("ReferenceEquality") // A comparison costs as much as an evaluation.
    boolean isOf(NodeLedger now) {
      return ledger == now;
    }
  }

  /**
   * The pod that waits.
   *
   * @param first the first claim of the pod
   * @param named whether the names matter
   */
  private record PodKey(ClaimUid first, boolean named) {
    static PodKey of(PodRequest request, boolean named) {
      return new PodKey(request.claims().get(0).uid(), named);
    }
  }

  /** The answers to one request, by state. */
  private static final class CachedAnswers {
    /** The bytes of a reason for one claim. */
    private static final long REASON = 150;

    private final RequestKey question;
    private final long ofQuestion;
    private final ConcurrentMap<AnswerScope, Optional<DoesNotFit>> inStates =
        new MapMaker().concurrencyLevel(1).weakKeys().makeMap();

    CachedAnswers(RequestKey question) {
      this.question = question;
      this.ofQuestion = RequestSize.of(question.pod());
    }

    long bytes() {
      long ofAnswer = MemoryBudget.ENTRY + REASON * question.pod().claims().size();
      return ofQuestion + inStates.size() * ofAnswer;
    }
  }

  SuitabilityCache(LedgerStore store) {
    this.store = store;
  }

  /** The answer of a node to a pod now; see {@link PodPlacer#refusal}. */
  Function<String, Optional<DoesNotFit>> asking(PodRequest request, SearchBudget budget) {
    if (request.isPlain()) {
      return node -> PodPlacer.refusal(store.ledger(node), request, budget);
    }
    CachedAnswers ofAnybody =
        boundedCache.get(PodKey.of(request, /* named= */ false), RequestKey.of(request));
    return node -> of(node, request, ofAnybody, budget);
  }

  private Optional<DoesNotFit> of(
      String node, PodRequest request, CachedAnswers ofAnybody, SearchBudget budget) {
    NodeLedger ledger = store.ledger(node);
    if (store.find(node).isEmpty()) {
      return PodPlacer.refusal(ledger, request, budget);
    }
    KnownNode here = known(ledger);
    return RequestKey.isKnown(request, ledger)
        ? of(here.own(), ledger, exactly(request), request, budget)
        : of(state(here, ofAnybody.question), ledger, ofAnybody, request, budget);
  }

  private CachedAnswers exactly(PodRequest request) {
    return boundedCache.get(PodKey.of(request, /* named= */ true), RequestKey.exactly(request));
  }

  private static AnswerScope state(KnownNode here, RequestKey question) {
    return question.isDecidedByFingerprint() ? here.ofAlike().orElse(here.own()) : here.own();
  }

  private Optional<DoesNotFit> of(
      AnswerScope answerScope,
      NodeLedger ledger,
      CachedAnswers answers,
      PodRequest request,
      SearchBudget budget) {
    RequestKey question = answers.question;
    Optional<DoesNotFit> answer = answers.inStates.get(answerScope);
    if (answer == null) {
      long before = budget.used();
      answer = PodPlacer.refusal(ledger, question.pod(), budget);
      if (!budget.isShortBecauseOfOthers(before)) {
        answers.inStates.put(answerScope, answer.map(no -> no.on(NOWHERE)));
        boundedCache.grew(question);
      }
    }
    return answer.map(no -> question.named(no, request, ledger));
  }

  /** The claim's object is gone. */
  void gone(ClaimUid claim) {
    boundedCache.removeAsker(new PodKey(claim, /* named= */ false));
    boundedCache.removeAsker(new PodKey(claim, /* named= */ true));
  }

  private KnownNode known(NodeLedger ledger) {
    if (nodes.size() > store.size()) {
      nodes.keySet().removeIf(node -> store.find(node).isEmpty());
    }
    return nodes.compute(
        ledger.node(),
        (node, before) -> before != null && before.isOf(ledger) ? before : begun(ledger));
  }

  private KnownNode begun(NodeLedger ledger) {
    return new KnownNode(
        ledger,
        new AnswerScope(),
        NodeFingerprint.of(ledger)
            .map(
                nodeFingerprint ->
                    alike.asMap().computeIfAbsent(nodeFingerprint, any -> new AnswerScope())));
  }

  /**
   * The request of a pod without its names and rank: equal for all pods of one deployment, which
   * get the same answer of a node that knows none of their claims. It is compared once for each pod
   * and then for each node, so the hash is kept and the same object is quickly found equal.
   */
  static final class RequestKey {
    private final PodRequest pod;
    private final int hash;
    private final boolean isDecidedByFingerprint;

    private RequestKey(ImmutableList<ClaimRequest> claims) {
      this.pod = new PodRequest(claims);
      this.hash = pod.hashCode();
      this.isDecidedByFingerprint = claims.stream().allMatch(RequestKey::isDecidedByFingerprint);
    }

    /** The request with its names. */
    static RequestKey exactly(PodRequest request) {
      return new RequestKey(request.claims());
    }

    /** A claim that is carved out of another one names it, so these requests keep their names. */
    static RequestKey of(PodRequest request) {
      return request.claims().stream().anyMatch(claim -> claim.inside().isPresent())
          ? exactly(request)
          : new RequestKey(anonymous(byName(request)));
    }

    /** In the order of the search: the first claim gets the better alternative. */
    private static ImmutableList<ClaimRequest> byName(PodRequest request) {
      return ImmutableList.sortedCopyOf(ClaimRequest.BY_NAME, request.claims());
    }

    private static ImmutableList<ClaimRequest> anonymous(ImmutableList<ClaimRequest> claims) {
      return IntStream.range(0, claims.size())
          .mapToObj(i -> claims.get(i).anonymous(i))
          .collect(ImmutableList.toImmutableList());
    }

    /** Whether the node knows claims of the pod, so that their names may change its answer. */
    static boolean isKnown(PodRequest request, NodeLedger ledger) {
      // Called for each pod and node: a loop allocates no memory.
      for (ClaimRequest claim : request.claims()) {
        if (NodeFilters.mayKnow(ledger, claim) || ledger.claims().contains(claim.uid())) {
          return true;
        }
      }
      return false;
    }

    /**
     * Whether all nodes with equal fingerprints give the same answer if they do not know its
     * claims.
     */
    boolean isDecidedByFingerprint() {
      return isDecidedByFingerprint;
    }

    private static boolean isDecidedByFingerprint(ClaimRequest claim) {
      return claim.inside().isEmpty()
          && !claim.monitors()
          && claim.alternatives().stream()
              .flatMap(way -> way.subRequests().stream())
              .noneMatch(subRequest -> subRequest.devicePredicate().differsBetweenNodes());
    }

    /** The request. */
    PodRequest pod() {
      return pod;
    }

    /** The answer of a node, with the names of the pod that waits. */
    DoesNotFit named(DoesNotFit answer, PodRequest asking, NodeLedger ledger) {
      if (pod.claims().equals(asking.claims())) {
        return answer.on(ledger);
      }
      ImmutableList<ClaimRequest> claims = byName(asking);
      ImmutableList<ClaimRef> all = asking.refs();
      ImmutableMap.Builder<ClaimUid, UnsuitableReason> reasons = ImmutableMap.builder();
      for (int i = 0; i < claims.size(); i++) {
        UnsuitableReason reason = answer.reasons().get(pod.claims().get(i).uid());
        if (reason != null) {
          reasons.put(claims.get(i).uid(), named(reason, claims.get(i), all, ledger));
        }
      }
      return new DoesNotFit(reasons.buildOrThrow());
    }

    private static UnsuitableReason named(
        UnsuitableReason reason,
        ClaimRequest claim,
        ImmutableList<ClaimRef> all,
        NodeLedger ledger) {
      return reason instanceof NodeRefusal.NotTogether
          ? new NodeRefusal.NotTogether(claim.ref(), all)
          : DoesNotFit.on(ledger, reason);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof RequestKey requestKey
              && hash == requestKey.hash
              && pod.equals(requestKey.pod));
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
