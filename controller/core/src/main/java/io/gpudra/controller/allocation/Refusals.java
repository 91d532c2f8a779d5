package io.gpudra.controller.allocation;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.MapMaker;
import io.gpudra.controller.allocation.ledger.Looks;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement.DoesNotFit;
import io.gpudra.controller.allocation.placing.Placer;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.memory.Remembered;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * What nodes answered to pods that want more than a number of whole GPUs: kube-scheduler asks for a
 * pod, and for others of its deployment, again and again while few nodes change, and of many nodes
 * that look alike one is searched. What is too hard for a whole pass is remembered, too: each pass
 * gets at least one node further. Plain requests are not remembered, they are judged as quickly.
 * Usable from any thread.
 */
final class Refusals {
  private static final NodeLedger NOWHERE = NodeLedger.unknown("");

  private final LedgerStore store;
  private final ConcurrentMap<String, Known> nodes = new ConcurrentHashMap<>();

  /** As long as some node looks so. */
  private final Cache<Looks, State> alike = CacheBuilder.newBuilder().weakValues().build();

  private final Remembered<Asker, Nameless, Answers> remembered =
      new Remembered<>(MemoryBudget.REFUSALS, Answers::new, Answers::bytes);

  /** Of one node, or of all that look alike; there is another one when it changes. */
  private static final class State {}

  /**
   * A node in one state.
   *
   * @param own in which it answers to whom it answers for itself
   * @param ofAlike in which all that look alike answer; absent where looks do not tell
   */
  private record Known(NodeLedger ledger, State own, Optional<State> ofAlike) {

    @SuppressWarnings("ReferenceEquality") // To compare the contents takes as long as to judge.
    boolean isOf(NodeLedger now) {
      return ledger == now;
    }
  }

  /**
   * Who asks.
   *
   * @param first of the claims of the pod
   * @param named whether its name matters
   */
  private record Asker(ClaimUid first, boolean named) {
    static Asker of(PodRequest request, boolean named) {
      return new Asker(request.claims().get(0).uid(), named);
    }
  }

  /** What is answered to one question; what lacks is that of no node. */
  private static final class Answers {
    /** For each claim of a pod. */
    private static final long REASON = 150;

    private final Nameless question;
    private final long ofQuestion;
    private final ConcurrentMap<State, Optional<DoesNotFit>> inStates =
        new MapMaker().concurrencyLevel(1).weakKeys().makeMap();

    Answers(Nameless question) {
      this.question = question;
      this.ofQuestion = RequestSize.of(question.pod());
    }

    long bytes() {
      long ofAnswer = MemoryBudget.ENTRY + REASON * question.pod().claims().size();
      return ofQuestion + inStates.size() * ofAnswer;
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
    Answers ofAnybody =
        remembered.asked(Asker.of(request, /* named= */ false), Nameless.of(request));
    return node -> of(node, request, ofAnybody, budget);
  }

  private Optional<DoesNotFit> of(
      String node, PodRequest request, Answers ofAnybody, Budget budget) {
    NodeLedger ledger = store.ledger(node);
    if (store.find(node).isEmpty()) {
      return Placer.refusal(ledger, request, budget);
    }
    Known here = known(ledger);
    return Nameless.isKnown(request, ledger)
        ? of(here.own(), ledger, exactly(request), request, budget)
        : of(state(here, ofAnybody.question), ledger, ofAnybody, request, budget);
  }

  private Answers exactly(PodRequest request) {
    return remembered.asked(Asker.of(request, /* named= */ true), Nameless.exactly(request));
  }

  private static State state(Known here, Nameless question) {
    return question.seesLooksOnly() ? here.ofAlike().orElse(here.own()) : here.own();
  }

  private Optional<DoesNotFit> of(
      State state, NodeLedger ledger, Answers answers, PodRequest request, Budget budget) {
    Nameless question = answers.question;
    Optional<DoesNotFit> answer = answers.inStates.get(state);
    if (answer == null) {
      long before = budget.used();
      answer = Placer.refusal(ledger, question.pod(), budget);
      if (!budget.isShortBecauseOfOthers(before)) {
        answers.inStates.put(state, answer.map(no -> no.on(NOWHERE)));
        remembered.grew(question);
      }
    }
    return answer.map(no -> question.named(no, request, ledger));
  }

  /** The claim's object is gone. */
  void gone(ClaimUid claim) {
    remembered.gone(new Asker(claim, /* named= */ false));
    remembered.gone(new Asker(claim, /* named= */ true));
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
    return new Known(
        ledger,
        new State(),
        Looks.of(ledger).map(looks -> alike.asMap().computeIfAbsent(looks, any -> new State())));
  }
}
