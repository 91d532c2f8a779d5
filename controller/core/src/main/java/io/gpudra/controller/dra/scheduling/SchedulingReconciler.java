package io.gpudra.controller.dra.scheduling;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.NodeChoice.OneNode;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.allocator.Allocator;
import io.gpudra.controller.dra.allocator.Allocator.Attempt;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Later;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Limited;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.queue.PublishHistory;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.queue.Turn;
import io.gpudra.controller.dra.queue.WaitQueue;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.scheduling.PendingPod.ClaimOfPod;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One pass for one scheduling context: read the pod, find its claims that wait for this driver,
 * evaluate the nodes, allocate on the selected node, and publish the unsuitable nodes.
 */
public final class SchedulingReconciler<P> implements Reconciler {
  private final ContextStore contexts;
  private final PodReadCache pods;
  private final PodClaims<P> podClaims;
  private final Allocator<P> allocator;
  private final Requeuer requeuer;
  private final WaitQueue waitQueue;
  private final ClaimEventRecorder claimEventRecorder;

  /** A pass that may allocate or publish. */
  private record Pass<P>(ContextFacts context, PodFacts pod, PendingPod<P> pending, Turn turn) {
    WorkKey work() {
      return WorkKey.context(context.key());
    }

    Pass<P> with(Turn next) {
      return new Pass<>(context, pod, pending, next);
    }
  }

  public SchedulingReconciler(
      ContextStore contexts,
      PodReadCache pods,
      PodClaims<P> podClaims,
      Allocator<P> allocator,
      Requeuer requeuer,
      ClaimEventRecorder claimEventRecorder) {
    this.contexts = contexts;
    this.pods = pods;
    this.podClaims = podClaims;
    this.allocator = allocator;
    this.requeuer = requeuer;
    this.waitQueue = requeuer.waitQueue();
    this.claimEventRecorder = claimEventRecorder;
  }

  @Override
  public ReconcileResult reconcile(ObjectKey key) throws ApiUnavailableException {
    // First, and also when the context is gone: a grant may be in flight.
    Attempt earlier = allocator.resume(WorkKey.context(key));
    if (!(earlier instanceof Settled settled)) {
      return ReconcileResult.again();
    }
    note(key, contexts.get(key), settled);
    Optional<ContextFacts> context = contexts.get(key).filter(found -> !found.deleting());
    if (context.isEmpty()) {
      pods.forget(key);
      requeuer.forget(WorkKey.context(key));
      return ReconcileResult.done();
    }
    boolean asks =
        context.get().selectedNode().isPresent() || !context.get().potentialNodes().isEmpty();
    if (asks) {
      return readPod(context.get());
    }
    waitQueue.remove(WorkKey.context(key));
    return ReconcileResult.done();
  }

  private ReconcileResult readPod(ContextFacts context) throws ApiUnavailableException {
    PodReadCache.Read read = pods.of(context);
    if (read instanceof PodReadCache.Read.Later later) {
      return ReconcileResult.after(later.delay());
    }
    if (read instanceof PodReadCache.Read.Live live) {
      return readClaims(context, live.pod());
    }
    requeuer.forget(WorkKey.context(context.key()));
    return ReconcileResult.done();
  }

  private ReconcileResult readClaims(ContextFacts context, PodFacts pod) {
    WorkKey work = WorkKey.context(context.key());
    requeuer.names(work, pod.claimRefs());
    Turn turn = waitQueue.enter(new Waiter(pod.rank(), context.uid(), work));
    SchedulingFacts<P> facts = podClaims.facts(pod);
    if (!pods.stillGood(context, facts.claims())) {
      return ReconcileResult.after(ControllerDelays.SETTLING);
    }
    if (pods.isHeldBack(pod)) {
      waitQueue.remove(work);
      return ReconcileResult.after(ControllerDelays.WITHOUT_EVENT);
    }
    Pass<P> pass = new Pass<>(context, pod, podClaims.pending(facts), turn);
    pass.pending()
        .blockers()
        .forEach(podBlocker -> claimEventRecorder.obstacle(podBlocker, pod.ref()));
    if (pass.pending().podNotReady()) {
      return notReady(pass);
    }
    if (pass.pending().nothingOfOurs()) {
      waitQueue.remove(work);
      return ReconcileResult.done();
    }
    return evaluate(pass);
  }

  private ReconcileResult notReady(Pass<P> pass) {
    waitQueue.remove(pass.work());
    if (pass.pending().blockers().stream().noneMatch(PodBlocker::doubtsThePod)) {
      // The claim's own events requeue the context.
      return ReconcileResult.done();
    }
    pods.doubt(pass.context().key());
    return ReconcileResult.after(ControllerDelays.WITHOUT_EVENT);
  }

  private ReconcileResult evaluate(Pass<P> pass) {
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
        || podClaims
            .suitability(pass.pending(), ImmutableSet.of(selected))
            .refusingNodes()
            .isEmpty();
  }

  private NodeSuitability suitability(Pass<P> pass) {
    return podClaims.suitability(
        pass.pending(), SchedulingRules.nodesToEvaluate(pass.context(), pass.pending()));
  }

  private ReconcileResult allocate(Pass<P> pass, String node) {
    Optional<Duration> others = pass.turn().letPass(pass.pending().pendingClaims().size());
    if (others.isPresent()) {
      return ReconcileResult.after(others.get());
    }
    Optional<Turn> leaving = pass.turn().leaving(node);
    if (leaving.isPresent()) {
      return publish(
          pass.with(leaving.get()),
          suitability(pass).plus(onOffer(pass.pending(), node)),
          Optional.of(node));
    }
    Attempt attempt =
        allocator.allocate(
            pass.work(),
            pass.pending().pendingClaims(),
            new OneNode(node),
            Optional.of(pass.pod().ref()));
    if (attempt instanceof Refused refused) {
      return publish(pass, suitability(pass).plus(refused.why()), Optional.of(node));
    }
    if (attempt instanceof Limited limited) {
      return limited(pass, limited);
    }
    if (attempt instanceof Settled settled) {
      // The scheduler may have deleted the context by now.
      note(pass.context().key(), Optional.of(pass.context()), settled);
      return settled.lost().isEmpty() ? ReconcileResult.done() : ReconcileResult.again();
    }
    // Open: the next pass resumes.
    return attempt instanceof Later later
        ? ReconcileResult.after(later.delay())
        : ReconcileResult.again();
  }

  private static NodeSuitability onOffer(PendingPod<?> pending, String node) {
    UnsuitableReason onOffer = StatedReason.of(UnsuitableReason.Kind.ON_OFFER);
    return new NodeSuitability(
        pending.pendingClaims().stream()
            .collect(
                toImmutableMap(
                    claim -> claim.claim().uid(), unused -> ImmutableMap.of(node, onOffer))));
  }

  /** Nothing is published: no other node would do. */
  private ReconcileResult limited(Pass<P> pass, Limited limited) {
    ImmutableList<ClaimFacts> claims = pass.pending().claimFacts();
    claimEventRecorder.limited(
        claims, Optional.of(pass.pod().ref()), limited.why(), limited.limits());
    return ReconcileResult.after(pass.turn().limited(limited.limits(), claims.size()));
  }

  private void note(ObjectKey key, Optional<ContextFacts> context, Settled settled) {
    if (settled.members().isEmpty()) {
      return;
    }
    pods.granted(key, settled.granted());
    waitQueue.remove(WorkKey.context(key), settled.nodes());
    if (settled.lost().isEmpty()) {
      context.ifPresent(asked -> recordGranted(asked, settled));
    } else {
      settled
          .losses()
          .forEach((claim, kind) -> claimEventRecorder.lost(claim, kind, settled.pod(claim)));
      pods.doubt(key);
    }
  }

  /** Measures the allocation, but not for another pod of the same name, which waits separately. */
  private void recordGranted(ContextFacts context, Settled settled) {
    if (settled.reservedFor().containsValue(context.pod())) {
      Map<String, ClaimFacts> byClass = new TreeMap<>();
      settled.members().forEach(claim -> byClass.put(claim.seen().className(), claim.seen()));
      byClass
          .values()
          .forEach(claim -> claimEventRecorder.granted(Mode.DELAYED, claim, context.created()));
    }
  }

  /** Publishes the changed unsuitable nodes, and sends an event when no node is left. */
  private ReconcileResult publish(
      Pass<P> pass, NodeSuitability suitability, Optional<String> refused) {
    ContextFacts context = pass.context();
    Optional<StatusPatch> patch =
        SchedulingRules.patch(
            context,
            SchedulingRules.unsuitable(pass.pending(), suitability, refused),
            pass.pending().several());
    ImmutableSet<String> refusing =
        Stream.concat(suitability.refusingNodes().stream(), refused.stream())
            .collect(ImmutableSet.toImmutableSet());
    boolean hopeful = !refusing.containsAll(context.offeredNodes());
    PublishPolicy publishPolicy =
        PublishPolicy.of(
            UnsuitableNodesDiff.of(context, patch),
            history(pass, patch),
            context.selectedNode().isPresent(),
            hopeful);
    if (publishPolicy.now()) {
      if (!reached(contexts.apply(context, patch.orElseThrow()))) {
        return ReconcileResult.again();
      }
      pass.turn().published();
    }
    explain(pass, suitability);
    Duration poll =
        hopeful && pass.pending().mayAllocate()
            ? pass.turn().choosing(refusing)
            : pass.turn().refused(refusing);
    return ReconcileResult.after(
        publishPolicy.requeueSoon() ? Comparators.min(ControllerDelays.PUBLISH_GAP, poll) : poll);
  }

  private PublishHistory history(Pass<P> pass, Optional<StatusPatch> patch) {
    return pass.turn()
        .publishHistory(
            patch
                .map(news -> UnsuitableNodesDiff.raised(pass.context(), news))
                .orElse(ImmutableSet.of()));
  }

  private static boolean reached(WriteOutcome.Kind kind) {
    return switch (kind) {
      // A context that is gone needs no answer, and an early retry of a rejected write is useless.
      case DONE, GONE, REJECTED -> true;
      case CONFLICT, UNCLEAR -> false;
    };
  }

  private void explain(Pass<P> pass, NodeSuitability suitability) {
    ImmutableSet<String> offered = pass.context().offeredNodes();
    if (!suitability.refusingNodes().containsAll(offered)) {
      return;
    }
    for (ClaimOfPod<P> claimOfPod : pass.pending().claims()) {
      ClaimFacts claim = claimOfPod.claim().claim();
      ImmutableMap<String, UnsuitableReason> refusals = suitability.of(claim.uid());
      if (!refusals.isEmpty()) {
        int fitting = Sets.difference(offered, refusals.keySet()).size();
        claimEventRecorder.refused(
            claim, pass.pod().ref(), refusals, fitting, pass.pending().pinning());
      }
    }
  }
}
