package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.controller.allocation.ledger.Looks;
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
 * pod, and for others of its deployment, again and again while few nodes change, and of many nodes
 * that look alike one is searched. What is too hard for a whole pass is remembered, too: each pass
 * gets at least one node further. Plain requests are not remembered, they are judged as quickly.
 * Usable from any thread.
 */
final class Refusals {
  /** Of all nodes together; one is about 300 bytes. */
  private static final int MOST_ANSWERS = 100_000;

  /** Pods of fewer deployments wait at a time. */
  private static final int MOST_KINDS = 1_000;

  private static final NodeLedger NOWHERE = NodeLedger.unknown("");

  private final LedgerStore store;
  private final ConcurrentMap<String, Known> nodes = new ConcurrentHashMap<>();

  /** As long as some node looks so. */
  private final Cache<Looks, Answers> alike = CacheBuilder.newBuilder().weakValues().build();

  /** Of pods that ask for the same the same one, so that the answers' keys are soon compared. */
  private final Cache<Nameless, Nameless> asked =
      CacheBuilder.newBuilder().maximumSize(MOST_KINDS).build();

  /**
   * A node in one state.
   *
   * @param own what it answered to whom it answers for itself
   * @param ofAlike what all that look alike answer; absent where looks do not tell
   */
  private record Known(NodeLedger ledger, Answers own, Optional<Answers> ofAlike) {

    @SuppressWarnings("ReferenceEquality") // To compare the contents takes as long as to judge.
    boolean isOf(NodeLedger now) {
      return ledger == now;
    }
  }

  /** The latest; what lacks is that of no node. */
  private static final class Answers {
    private final Map<Nameless, Optional<DoesNotFit>> latest;

    Answers(int most) {
      this.latest =
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Nameless, Optional<DoesNotFit>> one) {
              return size() > most;
            }
          };
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
    Known here = known(ledger);
    return Nameless.isKnown(request, ledger)
        ? remembered(here.own(), ledger, Nameless.exactly(request), request, budget)
        : remembered(answers(here, anybody), ledger, anybody, request, budget);
  }

  private static Answers answers(Known here, Nameless anybody) {
    return anybody.seesLooksOnly() ? here.ofAlike().orElse(here.own()) : here.own();
  }

  private static Optional<DoesNotFit> remembered(
      Answers answers, NodeLedger ledger, Nameless asking, PodRequest request, Budget budget) {
    Optional<DoesNotFit> answer = answers.find(asking);
    if (answer == null) {
      boolean whole = budget.isWhole();
      answer = Placer.refusal(ledger, asking.pod(), budget);
      if (whole || !budget.isOver()) {
        answers.add(asking, answer.map(no -> no.on(NOWHERE)));
      }
    }
    return answer.map(no -> asking.named(no, request, ledger));
  }

  private Known known(NodeLedger ledger) {
    if (nodes.size() > store.size()) {
      nodes.keySet().removeIf(node -> store.find(node).isEmpty());
    }
    return nodes.compute(
        ledger.node(),
        (node, before) -> before != null && before.isOf(ledger) ? before : begun(ledger));
  }

  private Known begun(NodeLedger ledger) {
    int most = Math.max(1, MOST_ANSWERS / Math.max(1, store.size()));
    return new Known(
        ledger,
        new Answers(most),
        Looks.of(ledger)
            .map(looks -> alike.asMap().computeIfAbsent(looks, any -> new Answers(most))));
  }
}
