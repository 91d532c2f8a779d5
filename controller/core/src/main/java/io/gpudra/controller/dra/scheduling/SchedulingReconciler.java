package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.Contexts;
import io.gpudra.controller.dra.Contexts.StatusPatch;
import io.gpudra.controller.dra.NodeChoice.On;
import io.gpudra.controller.dra.Suitability;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.granting.Allocator;
import io.gpudra.controller.dra.granting.Allocator.Attempt;
import io.gpudra.controller.dra.granting.Allocator.Attempt.Later;
import io.gpudra.controller.dra.granting.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.granting.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.scheduling.Pending.Wanted;
import io.gpudra.controller.dra.scheduling.Survey.PodClaims;
import io.gpudra.controller.dra.telling.Obstacle;
import io.gpudra.controller.dra.telling.Warnings;
import io.gpudra.controller.dra.waiting.Waiters.Waiter;
import io.gpudra.controller.dra.waiting.WakeUps;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.Outcome;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.crds.model.Reason;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One pass for one scheduling context: read the pod, find its claims that wait for us, evaluate the
 * nodes, allocate on the selected node, and publish the unsuitable nodes.
 */
public final class SchedulingReconciler<P> implements Reconciler {
  /** The delay before a pod that cannot be evaluated yet is requeued without an event. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final Duration NOW_AND_THEN = Duration.ofSeconds(30);

  /** The scheduler's longest back-off for one pod. */
  private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(10);

  private final Contexts contexts;
  private final PodReads pods;
  private final Survey<P> survey;
  private final Allocator<P> allocator;
  private final WakeUps wakeUps;
  private final Warnings warnings;

  /** A pass that may allocate or publish, and the mark that was taken before its evaluation. */
  private record Pass<P>(ContextFacts context, PodFacts pod, Pending<P> pending, long mark) {
    WorkKey work() {
      return WorkKey.context(context.key());
    }

    Waiter waiter() {
      return new Waiter(context.created(), context.uid(), work());
    }
  }

  public SchedulingReconciler(
      Contexts contexts,
      PodReads pods,
      Survey<P> survey,
      Allocator<P> allocator,
      WakeUps wakeUps,
      Warnings warnings) {
    this.contexts = contexts;
    this.pods = pods;
    this.survey = survey;
    this.allocator = allocator;
    this.wakeUps = wakeUps;
    this.warnings = warnings;
  }

  @Override
  public Outcome reconcile(ObjectKey key) throws Unavailable {
    // First, and also when the context is gone: a grant may be in flight.
    Attempt earlier = allocator.resume(WorkKey.context(key));
    if (!(earlier instanceof Settled settled)) {
      return Outcome.again();
    }
    note(key, contexts.get(key), settled);
    Optional<ContextFacts> context = contexts.get(key).filter(found -> !found.deleting());
    if (context.isEmpty()) {
      pods.forget(key);
      wakeUps.forget(key);
      return Outcome.done();
    }
    boolean asks =
        context.get().selectedNode().isPresent() || !context.get().potentialNodes().isEmpty();
    if (asks) {
      return readPod(context.get());
    }
    wakeUps.waiters().leaves(WorkKey.context(key));
    return Outcome.done();
  }

  private Outcome readPod(ContextFacts context) throws Unavailable {
    PodReads.Read read = pods.of(context);
    if (read instanceof PodReads.Read.Later later) {
      return Outcome.after(later.delay());
    }
    if (read instanceof PodReads.Read.Live live) {
      return lookAtClaims(context, live.pod());
    }
    wakeUps.forget(context.key());
    return Outcome.done();
  }

  private Outcome lookAtClaims(ContextFacts context, PodFacts pod) {
    wakeUps.names(context.key(), PodClaims.refs(pod));
    long mark = wakeUps.waiters().mark();
    SchedulingFacts<P> facts = survey.ofPod(pod);
    if (!pods.stillGood(context, facts.claims())) {
      return Outcome.after(SOON);
    }
    Pass<P> pass = new Pass<>(context, pod, survey.pending(facts), mark);
    pass.pending().obstacles().forEach(obstacle -> warnings.obstacle(obstacle, pod.ref()));
    if (pass.pending().podNotReady()) {
      return notReady(pass);
    }
    if (pass.pending().nothingOfOurs()) {
      wakeUps.waiters().leaves(pass.work());
      return Outcome.done();
    }
    return judge(pass);
  }

  private Outcome notReady(Pass<P> pass) {
    wakeUps.waiters().leaves(pass.work());
    if (pass.pending().obstacles().stream().noneMatch(Obstacle::doubtsThePod)) {
      // The claim's own events requeue the context.
      return Outcome.done();
    }
    pods.doubt(pass.context().key());
    return Outcome.after(NOW_AND_THEN);
  }

  private Outcome judge(Pass<P> pass) {
    Optional<String> selected = pass.context().selectedNode();
    if (selected.filter(pass.pending()::tiedToAnother).isPresent()) {
      return publish(pass, suitability(pass), selected);
    }
    boolean go =
        pass.pending().mayAllocate() && selected.isPresent() && suits(pass, selected.get());
    return go ? allocate(pass, selected.get()) : publish(pass, suitability(pass), Optional.empty());
  }

  /** Other nodes need no evaluation while the selected one suits. */
  private boolean suits(Pass<P> pass, String selected) {
    return pass.context().potentialNodes().isEmpty()
        || survey.suitability(pass.pending(), ImmutableSet.of(selected)).refusingNodes().isEmpty();
  }

  private Suitability suitability(Pass<P> pass) {
    return survey.suitability(
        pass.pending(), SchedulingRules.nodesToJudge(pass.context(), pass.pending()));
  }

  private Outcome allocate(Pass<P> pass, String node) {
    Attempt attempt =
        allocator.allocate(
            pass.work(),
            pass.pending().pendingClaims(),
            new On(node),
            Optional.of(pass.pod().ref()));
    if (attempt instanceof Refused refused) {
      return publish(pass, suitability(pass).plus(refused.why()), Optional.of(node));
    }
    if (attempt instanceof Settled settled) {
      // The scheduler may have deleted the context by now.
      note(pass.context().key(), Optional.of(pass.context()), settled);
      return settled.lost().isEmpty() ? Outcome.done() : Outcome.again();
    }
    // Open: the next pass resumes.
    return attempt instanceof Later later ? Outcome.after(later.delay()) : Outcome.again();
  }

  private void note(ObjectKey key, Optional<ContextFacts> context, Settled settled) {
    if (settled.members().isEmpty()) {
      return;
    }
    pods.granted(key, settled.granted());
    wakeUps.waiters().leaves(WorkKey.context(key), settled.nodes());
    if (settled.lost().isEmpty()) {
      context.ifPresent(asked -> served(asked, settled));
    } else {
      settled.losses().forEach((claim, loss) -> warnings.lost(claim, loss, settled.reservedFor()));
      pods.doubt(key);
    }
  }

  /** Another pod of the same name waits separately. */
  private void served(ContextFacts context, Settled settled) {
    if (settled.reservedFor().equals(Optional.of(context.pod()))) {
      Map<String, ClaimFacts> byClass = new TreeMap<>();
      settled.members().forEach(claim -> byClass.put(claim.seen().className(), claim.seen()));
      byClass.values().forEach(claim -> warnings.granted(Mode.DELAYED, claim, context.created()));
    }
  }

  /** Publishes news to the scheduler, and sends an event when no node is left. */
  private Outcome publish(Pass<P> pass, Suitability suitability, Optional<String> refused) {
    ContextFacts context = pass.context();
    Optional<StatusPatch> patch =
        SchedulingRules.patch(
            context,
            SchedulingRules.unsuitable(pass.pending(), suitability, refused),
            pass.pending().several());
    ImmutableSet<String> refusing =
        Stream.concat(suitability.refusingNodes().stream(), refused.stream())
            .collect(ImmutableSet.toImmutableSet());
    Publication publication =
        Publication.of(
            News.of(context, patch),
            told(pass, patch),
            context.selectedNode().isPresent(),
            !refusing.containsAll(context.offeredNodes()));
    if (publication.now()) {
      if (!reached(contexts.apply(context, patch.orElseThrow()))) {
        return Outcome.again();
      }
      wakeUps.waiters().told(pass.work());
    }
    explain(pass, suitability);
    Duration poll = wakeUps.waiters().waits(pass.waiter(), Optional.of(refusing), pass.mark());
    return Outcome.after(publication.lookAgainSoon() ? Comparators.min(SOON, poll) : poll);
  }

  private Publication.Told told(Pass<P> pass, Optional<StatusPatch> patch) {
    ImmutableSet<String> raised =
        patch.map(news -> News.raised(pass.context(), news)).orElse(ImmutableSet.of());
    return new Publication.Told(
        wakeUps.waiters().toldWithin(pass.work(), SOON),
        wakeUps.waiters().toldWithin(pass.work(), LONGEST_BACK_OFF),
        wakeUps.waiters().mayHearGoodNews(pass.work(), raised));
  }

  private static boolean reached(WriteOutcome.Kind kind) {
    return switch (kind) {
      // A context that is gone needs no answer, and an early retry of a rejected write is useless.
      case DONE, GONE, REJECTED -> true;
      case CONFLICT, UNCLEAR -> false;
    };
  }

  private void explain(Pass<P> pass, Suitability suitability) {
    ImmutableSet<String> offered = pass.context().offeredNodes();
    if (!suitability.refusingNodes().containsAll(offered)) {
      return;
    }
    for (Wanted<P> wanted : pass.pending().claims()) {
      ClaimFacts claim = wanted.claim().claim();
      ImmutableMap<String, Reason> refusals = suitability.of(claim.uid());
      if (!refusals.isEmpty()) {
        int fitting = Sets.difference(offered, refusals.keySet()).size();
        warnings.refused(claim, pass.pod().ref(), refusals, fitting, pass.pending().pinning());
      }
    }
  }
}
