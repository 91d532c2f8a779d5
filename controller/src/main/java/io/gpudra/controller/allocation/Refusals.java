package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement.DoesNotFit;
import io.gpudra.controller.allocation.placing.Placer;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.Budget;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What nodes answered to pods that want more than a number of whole GPUs: kube-scheduler asks for a
 * pod, and for others of its deployment, again and again while few nodes change. Plain requests are
 * not remembered, they are judged as quickly. Usable from any thread.
 */
final class Refusals {
  /** Of all nodes together; one is about 300 bytes. */
  private static final int MOST_ANSWERS = 100_000;

  /** Pods of fewer deployments wait at a time. */
  private static final int MOST_KINDS = 1_000;

  private final LedgerStore store;
  private final ConcurrentMap<String, Answers> nodes = new ConcurrentHashMap<>();

  /** Of pods that ask for the same the same one, so that the answers' keys are soon compared. */
  private final Cache<Nameless, Nameless> asked =
      CacheBuilder.newBuilder().maximumSize(MOST_KINDS).build();

  /** Of one node as long as it is in this state. */
  private static final class Answers {
    private final NodeLedger ledger;
    private final Map<Nameless, Optional<DoesNotFit>> latest;

    Answers(NodeLedger ledger, int most) {
      this.ledger = ledger;
      this.latest =
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Nameless, Optional<DoesNotFit>> one) {
              return size() > most;
            }
          };
    }

    @SuppressWarnings("ReferenceEquality") // To compare the contents takes as long as to judge.
    boolean isOf(NodeLedger now) {
      return ledger == now;
    }

    @SuppressWarnings("NullableOptional") // Not known is not the same as known to fit.
    synchronized @Nullable Optional<DoesNotFit> find(Nameless request) {
      return latest.get(request);
    }

    synchronized void add(Nameless request, Optional<DoesNotFit> answer) {
      latest.put(request, answer);
    }
  }

  Refusals(LedgerStore store) {
    this.store = store;
  }

  /** What a node answers a pod now; see {@link Placer#refusal}. */
  Function<String, Optional<DoesNotFit>> asking(PodRequest request, Budget budget) {
    if (request.isPlain()) {
      return node -> Placer.refusal(store.ledger(node), request, budget);
    }
    Nameless anybody = kind(Nameless.of(request));
    return node -> of(node, request, anybody, budget);
  }

  private Nameless kind(Nameless one) {
    Nameless known = asked.asMap().putIfAbsent(one, one);
    return known == null ? one : known;
  }

  private Optional<DoesNotFit> of(
      String node, PodRequest request, Nameless anybody, Budget budget) {
    NodeLedger ledger = store.ledger(node);
    if (store.find(node).isEmpty()) {
      return Placer.refusal(ledger, request, budget);
    }
    Nameless asking = Nameless.isKnown(request, ledger) ? Nameless.exactly(request) : anybody;
    return remembered(ledger, asking, budget).map(no -> asking.named(no, request));
  }

  private Optional<DoesNotFit> remembered(NodeLedger ledger, Nameless asking, Budget budget) {
    Answers answers = answers(ledger);
    Optional<DoesNotFit> before = answers.find(asking);
    if (before != null) {
      return before;
    }
    Optional<DoesNotFit> found = Placer.refusal(ledger, asking.pod(), budget);
    if (!budget.isOver()) {
      answers.add(asking, found);
    }
    return found;
  }

  private Answers answers(NodeLedger ledger) {
    if (nodes.size() > store.size()) {
      nodes.keySet().removeIf(node -> store.find(node).isEmpty());
    }
    return nodes.compute(
        ledger.node(),
        (node, before) -> before != null && before.isOf(ledger) ? before : begun(ledger));
  }

  private Answers begun(NodeLedger ledger) {
    return new Answers(ledger, Math.max(1, MOST_ANSWERS / Math.max(1, store.size())));
  }
}
