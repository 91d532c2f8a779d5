package io.gpudra.controller.gate;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Interner;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeChoice.Fitting;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.allocator.Allocator.Attempt;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Later;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Limited;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.Allocator.Reserved;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.queue.Turn;
import io.gpudra.controller.dra.queue.WaitQueue;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.GateAction.GiveBack;
import io.gpudra.controller.gate.GateAction.Grant;
import io.gpudra.controller.gate.GateAction.GrantOn;
import io.gpudra.controller.gate.GateAction.Leave;
import io.gpudra.controller.gate.GateAction.Lift;
import io.gpudra.controller.gate.GateAction.Tell;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.memory.HashBoundInterner;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Performs what {@link GateRules} decide for a pod: allocates its claims, then removes its gate.
 */
public final class GateReconciler<P> implements Reconciler {
  private final EngineParts<P> parts;
  private final GateFactsReader<P> facts;
  private final WaitQueue waitQueue;
  private final GatedPods pods;
  private final GateReports reports;
  private final PacedDeadlines patience;
  private final GrantReturner returner;

  private final SearchTurns searchTurns;

  /** Pods of which this process removed the gate, since their claims are allocated. */
  private final Map<ObjectKey, PodRef> liftedPods = new ConcurrentHashMap<>();

  /** Those of pods that wait, of which many may ask alike. */
  private final Interner<Request<P>> requests = new HashBoundInterner<>();

  /** Equal requests get the same refusal if the driver says so. */
  private record Request<P>(
      ImmutableList<P> parameters, ImmutableList<ClassFacts> classes, NodeDemand demand) {}

  private record Pass<P>(WorkKey work, GateSituation<P> situation) {
    GatedPod pod() {
      return situation.pod();
    }

    NodeDemand demand() {
      return pod().demand();
    }

    ImmutableList<PendingClaim<P>> pending() {
      return situation.pending().pendingClaims();
    }

    ImmutableList<ClaimFacts> claimFacts() {
      return situation.pending().claimFacts();
    }

    Request<P> request() {
      return new Request<>(
          pending().stream().map(PendingClaim::parameters).collect(ImmutableList.toImmutableList()),
          pending().stream()
              .map(PendingClaim::resourceClass)
              .collect(ImmutableList.toImmutableList()),
          demand());
    }

    Waiter waiter() {
      return new Waiter(pod().facts().rank(), pod().ref().uid(), work);
    }
  }

  /**
   * A reconciler of units of pods.
   *
   * @param patience the time after which a pod that no node fits loses its gate
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public GateReconciler(
      EngineParts<P> parts,
      GatedPods pods,
      GateReports reports,
      Duration patience,
      LongSupplier nanoTime) {
    this.parts = parts;
    this.facts = new GateFactsReader<>(parts.podClaims(), parts.ports().contexts());
    this.waitQueue = parts.requeuer().waitQueue();
    this.pods = pods;
    this.reports = reports;
    this.patience = new PacedDeadlines(patience, ControllerDelays.GATE_LIFT_GAP, nanoTime);
    this.returner = new GrantReturner(parts.ports().claims(), pods, nanoTime);
    this.searchTurns = new SearchTurns(work -> parts.requeuer().wakeAfter(work, Duration.ZERO));
  }

  /** The number of entries about pods and nodes, by cache. */
  public ImmutableMap<String, IntSupplier> entries() {
    return ImmutableMap.<String, IntSupplier>builder()
        .put("gatePatience", patience::size)
        .put("liftedPods", liftedPods::size)
        .put("searchedNamespaces", searchTurns::size)
        .putAll(returner.entries())
        .buildOrThrow();
  }

  @Override
  public ReconcileResult reconcile(ObjectKey unit) throws ApiUnavailableException {
    WorkKey work = WorkKey.gate(unit);
    boolean called = searchTurns.isCalled(work);
    try {
      return pass(work);
    } finally {
      if (called) {
        searchTurns.passed(work);
      }
    }
  }

  private ReconcileResult pass(WorkKey work) throws ApiUnavailableException {
    ObjectKey unit = work.key();
    Attempt earlier = parts.allocator().resume(work);
    if (!(earlier instanceof Settled settled)) {
      return ReconcileResult.again();
    }
    parts.settled(work, settled);
    Optional<GatedPod> pod = pods.ofUnit(unit).stream().findFirst();
    liftedPods.computeIfPresent(
        unit, (key, ref) -> pod.map(GatedPod::ref).equals(Optional.of(ref)) ? ref : null);
    return pod.isPresent() ? look(work, pod.get()) : leave(work);
  }

  private ReconcileResult look(WorkKey work, GatedPod pod) throws ApiUnavailableException {
    if (facts.hasContext(pod.ref()) && liftedPods.remove(work.key(), pod.ref())) {
      reports.overtaken();
    }
    Optional<GateAction> alone = GateRules.withoutClaims(pod);
    if (alone.isPresent()) {
      return perform(new Pass<>(work, facts.alone(pod)), alone.get());
    }
    if (pod.gated()) {
      parts.requeuer().names(work, pod.facts().claimRefs());
    }
    Pass<P> pass = new Pass<>(work, facts.situation(pod));
    return perform(pass, GateRules.decide(pass.situation()));
  }

  private ReconcileResult perform(Pass<P> pass, GateAction action) throws ApiUnavailableException {
    if (action instanceof GiveBack giveBack) {
      return giveBack(pass, giveBack.claims());
    }
    returner.forget(pass.work().key());
    if (action instanceof Leave) {
      return leave(pass.work());
    }
    return action instanceof Lift lift
        ? lift(pass, lift.reason())
        : withPatience(pass, waiting(pass, action));
  }

  /** The result of a pass that may not have allocated. */
  private ReconcileResult waiting(Pass<P> pass, GateAction action) throws ApiUnavailableException {
    if (action instanceof Grant) {
      return grant(pass);
    }
    if (action instanceof GrantOn there) {
      return grantOn(pass, there.node());
    }
    if (action instanceof Tell tell) {
      tell.blockers().forEach(why -> parts.events().obstacle(why, pass.pod().ref()));
    }
    waitQueue.remove(pass.work());
    return ReconcileResult.after(ControllerDelays.WITHOUT_EVENT);
  }

  private ReconcileResult withPatience(Pass<P> pass, ReconcileResult waits) {
    if (waits.kind() != ReconcileResult.Kind.AFTER || searchTurns.isWaiting(pass.waiter())) {
      return waits;
    }
    Duration left = patience.left(pass.work().key(), pass.pod().ref());
    return left.isZero()
        ? lift(pass, LiftReason.PATIENCE)
        : ReconcileResult.after(Comparators.min(left, waits.delay()));
  }

  private ReconcileResult grant(Pass<P> pass) {
    Turn turn = waitQueue.enter(pass.waiter(), requests.intern(pass.request()));
    Optional<Duration> others = turn.letPass(pass.pending().size());
    if (others.isPresent()) {
      return ReconcileResult.after(others.get());
    }
    Attempt attempt =
        allocate(
            pass,
            turn.where(
                pass.demand(),
                () -> returner.leftOut(pass.work().key().namespace(), pass.demand().size())));
    if (attempt instanceof Refused refused) {
      if (turn.everywhere()) {
        tell(pass, refused.why());
      }
      return ReconcileResult.after(turn.refusedAnywhere(refused.alike()));
    }
    return end(pass, turn, attempt);
  }

  /** Some of the pod's claims are on this node: the others follow, or these are given back. */
  private ReconcileResult grantOn(Pass<P> pass, String node) throws ApiUnavailableException {
    Turn turn = waitQueue.enter(pass.waiter());
    ImmutableSet<String> only = ImmutableSet.of(node);
    Attempt attempt =
        allocate(pass, new Fitting(pass.demand(), Optional.of(only), ImmutableSet::of));
    if (attempt instanceof Refused refused) {
      tell(pass, refused.why());
      boolean unused = returner.giveBackAtGate(pass.situation().returnable(), pass.pod().ref());
      return ReconcileResult.after(turn.refused(only));
    }
    return end(pass, turn, attempt);
  }

  private Attempt allocate(Pass<P> pass, NodeChoice where) {
    ImmutableList<PendingClaim<P>> pending = pass.pending();
    ImmutableSet<ClaimUid> uids =
        pending.stream().map(one -> one.claim().uid()).collect(ImmutableSet.toImmutableSet());
    return parts
        .allocator()
        .allocate(
            pass.work(),
            pending,
            () -> choose(pass, where),
            Maps.toMap(uids, unused -> pass.pod().ref()));
  }

  private Reserved choose(Pass<P> pass, NodeChoice where) {
    return searchTurns
        .inTurn(
            pass.waiter(),
            () -> Reserved.of(parts.driver().allocate(pass.pending(), where, pass.work().owner())))
        .orElseGet(() -> new Reserved.No(new Later(ControllerDelays.WITHOUT_EVENT)));
  }

  private void tell(Pass<P> pass, NodeSuitability why) {
    pass.claimFacts().stream()
        .filter(claim -> !why.of(claim.uid()).isEmpty())
        .forEach(claim -> parts.events().refused(claim, why.of(claim.uid())));
  }

  private ReconcileResult limited(Pass<P> pass, Turn turn, Limited limited) {
    ImmutableList<ClaimFacts> claims = pass.claimFacts();
    parts.events().limited(claims, Optional.of(pass.pod().ref()), limited.why(), limited.limits());
    return ReconcileResult.after(turn.limited(limited.limits(), claims.size()));
  }

  private ReconcileResult end(Pass<P> pass, Turn turn, Attempt attempt) {
    if (attempt instanceof Settled settled) {
      parts.settled(pass.work(), settled);
      return settled.lost().isEmpty() ? lift(pass, LiftReason.GRANTED) : ReconcileResult.again();
    }
    if (attempt instanceof Limited limited) {
      return limited(pass, turn, limited);
    }
    // Open: the next pass resumes.
    return attempt instanceof Later later
        ? ReconcileResult.after(later.delay())
        : ReconcileResult.again();
  }

  private ReconcileResult lift(Pass<P> pass, LiftReason reason) {
    WriteOutcome.Kind outcome = pods.lift(pass.pod());
    return switch (outcome) {
      case DONE -> afterLift(pass, reason);
      case GONE -> leave(pass.work());
      case CONFLICT, UNCLEAR -> ReconcileResult.again();
      case REJECTED -> {
        reports.stuck(pass.pod());
        yield ReconcileResult.again();
      }
    };
  }

  private ReconcileResult afterLift(Pass<P> pass, LiftReason reason) {
    if (reason == LiftReason.GRANTED) {
      liftedPods.put(pass.work().key(), pass.pod().ref());
    }
    reports.lifted(pass.pod(), reason, pass.situation().claims());
    return leave(pass.work());
  }

  private ReconcileResult leave(WorkKey work) {
    patience.forget(work.key());
    returner.forget(work.key());
    parts.requeuer().forget(work);
    return ReconcileResult.done();
  }

  private ReconcileResult giveBack(Pass<P> pass, ImmutableList<ClaimFacts> claims)
      throws ApiUnavailableException {
    Duration left = returner.left(pass.pod());
    if (!left.isZero()) {
      return ReconcileResult.after(left);
    }
    return returner.giveBackMisjudged(pass.pod(), pass.situation().node(), claims, reports)
        ? leave(pass.work())
        : ReconcileResult.again();
  }
}
