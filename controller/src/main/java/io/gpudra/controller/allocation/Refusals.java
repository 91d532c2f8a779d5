package io.gpudra.controller.allocation;

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
import org.jspecify.annotations.Nullable;

/**
 * What nodes answered to pods that want more than a number of whole GPUs: kube-scheduler asks for a
 * pod again and again while few nodes change. Plain requests are not remembered, they are judged as
 * quickly. Usable from any thread.
 */
final class Refusals {
  /** Of all nodes together; one is about 300 bytes. */
  private static final int MOST_ANSWERS = 100_000;

  private final LedgerStore store;
  private final ConcurrentMap<String, Answers> nodes = new ConcurrentHashMap<>();

  /** Of one node as long as it is in this state. */
  private static final class Answers {
    private final NodeLedger ledger;
    private final Map<PodRequest, Optional<DoesNotFit>> latest;

    Answers(NodeLedger ledger, int most) {
      this.ledger = ledger;
      this.latest =
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<PodRequest, Optional<DoesNotFit>> one) {
              return size() > most;
            }
          };
    }

    @SuppressWarnings("ReferenceEquality") // To compare the contents takes as long as to judge.
    boolean isOf(NodeLedger now) {
      return ledger == now;
    }

    @SuppressWarnings("NullableOptional") // Not known is not the same as known to fit.
    synchronized @Nullable Optional<DoesNotFit> find(PodRequest request) {
      return latest.get(request);
    }

    synchronized void add(PodRequest request, Optional<DoesNotFit> answer) {
      latest.put(request, answer);
    }
  }

  Refusals(LedgerStore store) {
    this.store = store;
  }

  /** What the node answers now; see {@link Placer#refusal}. */
  Optional<DoesNotFit> of(String node, PodRequest request, Budget budget) {
    NodeLedger ledger = store.ledger(node);
    return request.isPlain() || store.find(node).isEmpty()
        ? Placer.refusal(ledger, request, budget)
        : remembered(ledger, request, budget);
  }

  private Optional<DoesNotFit> remembered(NodeLedger ledger, PodRequest request, Budget budget) {
    Answers answers = answers(ledger);
    Optional<DoesNotFit> before = answers.find(request);
    if (before != null) {
      return before;
    }
    Optional<DoesNotFit> found = Placer.refusal(ledger, request, budget);
    if (!budget.isOver()) {
      answers.add(request, found);
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
