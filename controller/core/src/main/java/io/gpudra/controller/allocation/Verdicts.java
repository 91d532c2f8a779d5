package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.LedgerStore.Changes;
import io.gpudra.controller.allocation.ledger.Fence;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placer;
import io.gpudra.controller.allocation.refusal.Obstacles;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.memory.Remembered;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which nodes would serve who asks for this: thousands of Immediate claims wait for a few kinds of
 * request, and equal ones are judged once for each state of a node. What a claim's own name and
 * holds add is not in it: they only ever refuse more, or keep what is held.
 */
final class Verdicts {
  /** Of one node: its place in the table, the reason, words that are its own. */
  private static final long NODE = 100;

  private static final Verdict NO_NODE =
      new Verdict(ImmutableSet.of(), ImmutableMap.of(), ImmutableSet.of());

  private final LedgerStore store;
  private final Remembered<ClaimUid, ClaimRequest, Standing> standings =
      new Remembered<>(MemoryBudget.VERDICTS, Standing::new, Standing::bytes);

  /**
   * The answer of all nodes.
   *
   * @param refusals of the nodes that are not fitting; the same object while no node changed and
   *     none is undecided
   * @param undecided of those that refuse, for which the budget of a look was not enough; who waits
   *     longest comes first
   */
  record Verdict(
      ImmutableSet<String> fitting,
      ImmutableMap<String, Reason> refusals,
      ImmutableSet<String> undecided) {

    /** The same but for nodes that are left to others. */
    Verdict but(ImmutableSet<String> left) {
      ImmutableSet<String> missed = Sets.intersection(fitting, left).immutableCopy();
      return missed.isEmpty()
          ? this
          : new Verdict(
              Sets.difference(fitting, missed).immutableCopy(),
              ImmutableMap.<String, Reason>builder()
                  .putAll(refusals)
                  .putAll(Maps.asMap(missed, node -> Refusal.onOffer()))
                  .buildOrThrow(),
              undecided);
    }
  }

  Verdicts(LedgerStore store) {
    this.store = store;
  }

  /** Of all nodes as they are now. */
  Verdict of(ClaimRequest claim) {
    Standing standing = standings.asked(claim.uid(), claim.anonymous(0));
    long before = standing.bytes();
    Verdict now = standing.now();
    if (standing.bytes() > before) {
      standings.grew(standing.anybody);
    }
    return now;
  }

  /** Of these nodes as they are now; not remembered. */
  Verdict of(ClaimRequest claim, ImmutableSet<String> nodes) {
    return new Standing(claim.anonymous(0)).judge(NO_NODE, nodes);
  }

  /** The claim's object is gone. */
  void gone(ClaimUid claim) {
    standings.gone(claim);
  }

  /**
   * How the nodes stand to one request; who asks while it is found out waits for it. A look has one
   * budget: nodes that it leaves undecided are asked first at the next. What is too hard for a node
   * alone is decided, until the node changes.
   */
  private final class Standing {
    private final ClaimRequest anybody;
    private final PodRequest alone;
    private final long ofRequest;
    private long judgedAt = LedgerStore.NEVER;
    private volatile Verdict verdict = NO_NODE;

    Standing(ClaimRequest anybody) {
      this.anybody = anybody;
      this.alone = new PodRequest(ImmutableList.of(anybody));
      this.ofRequest = RequestSize.of(anybody);
    }

    long bytes() {
      Verdict known = verdict;
      int nodes = known.fitting().size() + known.refusals().size() + known.undecided().size();
      return ofRequest + NODE * nodes;
    }

    synchronized Verdict now() {
      Changes changes = store.changesAfter(judgedAt);
      Verdict before = changes.all() ? NO_NODE : verdict;
      Set<String> asked = Sets.union(before.undecided(), changes.nodes());
      if (changes.all() || !asked.isEmpty()) {
        verdict = judge(before, asked);
      }
      judgedAt = changes.time();
      return verdict;
    }

    private Verdict judge(Verdict known, Set<String> nodes) {
      Set<String> fitting = new HashSet<>(known.fitting());
      Map<String, Reason> refusals = new HashMap<>(known.refusals());
      ImmutableSet.Builder<String> undecided = ImmutableSet.builder();
      Budget budget = new Budget();
      for (String node : nodes) {
        fitting.remove(node);
        refusals.remove(node);
        Optional<NodeLedger> ledger = store.find(node);
        if (ledger.isPresent()) {
          NodeLedger seen = ledger.get();
          long before = budget.used();
          Fence.around(() -> refusal(seen, budget), why -> Optional.of(Refusal.notJudged(why)))
              .ifPresentOrElse(
                  reason -> refusals.put(node, Kept.of(store, node, reason)),
                  () -> fitting.add(node));
          if (refusals.containsKey(node) && budget.isShortBecauseOfOthers(before)) {
            undecided.add(node);
          }
        }
      }
      return new Verdict(
          ImmutableSet.copyOf(fitting), ImmutableMap.copyOf(refusals), undecided.build());
    }

    private Optional<Reason> refusal(NodeLedger ledger, Budget budget) {
      Optional<Refusal> closed = Obstacles.ofChoice(ledger.inventory().node(), anybody);
      return closed.isPresent()
          ? Optional.of(closed.get())
          : Placer.refusal(ledger, alone, budget).map(no -> no.reasons().get(anybody.uid()));
    }
  }
}
