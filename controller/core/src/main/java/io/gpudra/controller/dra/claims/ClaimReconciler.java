package io.gpudra.controller.dra.claims;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Interner;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.allocator.Allocator;
import io.gpudra.controller.dra.allocator.Allocator.Attempt;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Later;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Limited;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.ClaimLocks;
import io.gpudra.controller.dra.allocator.Deallocator;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.queue.Turn;
import io.gpudra.controller.dra.queue.WaitQueue;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.memory.HashBoundInterner;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Optional;

/**
 * Performs what {@link ClaimRules} decide for a claim: deallocation, cleanup, Immediate allocation.
 */
public final class ClaimReconciler<P> implements Reconciler {
  private static final int ATTEMPTS = 5;

  private final SchedulingFactsReader<P> schedulingFactsReader;
  private final Allocator<P> allocator;
  private final Deallocator deallocator;
  private final ClaimLocks claimLocks;
  private final Requeuer requeuer;
  private final WaitQueue waitQueue;
  private final ClaimEventRecorder claimEventRecorder;

  /** One of all equal requests, as long as any claim waits with it. */
  private final Interner<Request<P>> requests = new HashBoundInterner<>();

  /** Equal requests get the same refusal if the driver says so. */
  private record Request<P>(P parameters, ClassFacts resourceClass) {}

  /** A claim, with its parameters if they matter. */
  private record Subject<P>(
      WorkKey work,
      ClaimFacts claim,
      ClassState classState,
      Optional<DriverParameters<P>> parameters) {
    boolean parametersMissing() {
      return parameters.isPresent()
          && parameters.get() instanceof DriverParameters.Refused<P> refused
          && refused.reason().kind() == UnsuitableReason.Kind.PARAMETERS_NOT_FOUND;
    }
  }

  public ClaimReconciler(
      SchedulingFactsReader<P> schedulingFactsReader,
      Allocator<P> allocator,
      Deallocator deallocator,
      ClaimLocks claimLocks,
      Requeuer requeuer,
      ClaimEventRecorder claimEventRecorder) {
    this.schedulingFactsReader = schedulingFactsReader;
    this.allocator = allocator;
    this.deallocator = deallocator;
    this.claimLocks = claimLocks;
    this.requeuer = requeuer;
    this.waitQueue = requeuer.waitQueue();
    this.claimEventRecorder = claimEventRecorder;
  }

  @Override
  public ReconcileResult reconcile(ObjectKey key) throws ApiUnavailableException {
    ClaimRef ref = new ClaimRef(key.namespace(), key.name());
    WorkKey work = WorkKey.claim(ref);
    requeuer.wakeOthers(ref);
    Attempt earlier = allocator.resume(work);
    if (!(earlier instanceof Settled settled)) {
      return ReconcileResult.again();
    }
    note(work, settled);
    Optional<ClaimFacts> claim = schedulingFactsReader.claim(ref);
    for (int i = 0; i < ATTEMPTS && claim.isPresent(); i++) {
      Optional<ReconcileResult> end = perform(subject(work, claim.get()));
      if (end.isPresent()) {
        return end.get();
      }
      claim = schedulingFactsReader.liveClaim(ref);
    }
    return claim.isPresent() ? ReconcileResult.again() : nothing(work);
  }

  private Subject<P> subject(WorkKey work, ClaimFacts claim) {
    ClassState state = schedulingFactsReader.classState(claim);
    boolean startable =
        claim.mode() == Mode.IMMEDIATE
            && claim.allocation().isEmpty()
            && !claim.ending()
            && !claim.hasBuiltinFinalizer()
            && state == ClassState.OURS;
    return new Subject<>(
        work, claim, state, startable ? schedulingFactsReader.parameters(claim) : Optional.empty());
  }

  /** The outcome; empty when another client wrote meanwhile and the claim must be read again. */
  private Optional<ReconcileResult> perform(Subject<P> subject) throws ApiUnavailableException {
    ClaimFacts claim = subject.claim();
    WorkKey work = subject.work();
    ClaimAction action =
        ClaimRules.decide(
            new ClaimSituation(
                claim,
                subject.classState(),
                subject.parametersMissing(),
                claimLocks.ownedByOther(claim.uid(), work),
                requeuer.isWanted(claim.ref()),
                schedulingFactsReader.isSurplus(claim)));
    return switch (action) {
      case NOTHING -> Optional.of(nothing(work));
      case DEALLOCATE -> deallocator.deallocate(work, claim);
      case LEAVE_TO_OTHER_DRIVER, REMOVE_FINALIZER -> deallocator.removeFinalizer(work, claim);
      case AWAIT -> Optional.of(awaitObjects(subject));
      case ALLOCATE_NOW -> Optional.of(allocate(subject));
    };
  }

  private ReconcileResult nothing(WorkKey work) {
    waitQueue.remove(work);
    return ReconcileResult.done();
  }

  private ReconcileResult awaitObjects(Subject<P> subject) {
    ClaimFacts claim = subject.claim();
    Optional<PodBlocker> missing =
        subject.classState() == ClassState.ABSENT
            ? Optional.of(PodBlocker.classAbsent("", claim))
            : subject.parameters().flatMap(found -> PodBlocker.ofParameters("", claim, found));
    missing.ifPresent(claimEventRecorder::obstacle);
    waitQueue.remove(subject.work());
    return ReconcileResult.after(ControllerDelays.WITHOUT_EVENT);
  }

  private ReconcileResult allocate(Subject<P> subject) throws ApiUnavailableException {
    if (subject.parameters().isPresent()
        && subject.parameters().get() instanceof DriverParameters.Ready<P> ready) {
      Optional<PendingClaim<P>> pending =
          schedulingFactsReader.pending(subject.claim(), ready.value());
      if (pending.isPresent()) {
        return allocate(subject.work(), pending.get());
      }
    }
    // Invalid parameters, or a class deleted just now: their events requeue the claim.
    return awaitObjects(subject);
  }

  private ReconcileResult allocate(WorkKey work, PendingClaim<P> pending)
      throws ApiUnavailableException {
    ClaimFacts claim = pending.claim();
    Optional<WaitRank> known = waitQueue.rank(work, claim.uid().value());
    WaitRank rank = known.orElseGet(() -> new WaitRank(0, claim.created()));
    Waiter waiter = new Waiter(rank, claim.uid().value(), work);
    Request<P> request =
        requests.intern(new Request<>(pending.parameters(), pending.resourceClass()));
    Turn turn = waitQueue.enter(waiter, request);
    Optional<Duration> others =
        turn.comesFirst() ? Optional.empty() : ranked(turn, known, claim).letPass(1);
    if (others.isPresent()) {
      return ReconcileResult.after(others.get());
    }
    Attempt attempt =
        allocator.allocate(work, ImmutableList.of(pending), turn.where(), Optional.empty());
    if (attempt instanceof Refused refused) {
      if (turn.everywhere()) {
        claimEventRecorder.refused(claim, refused.why().of(claim.uid()));
      }
      return ReconcileResult.after(ranked(turn, known, claim).refusedAnywhere(refused.alike()));
    }
    if (attempt instanceof Limited limited) {
      claimEventRecorder.limited(
          ImmutableList.of(claim), Optional.empty(), limited.why(), limited.limits());
      return ReconcileResult.after(ranked(turn, known, claim).limited(limited.limits(), 1));
    }
    if (attempt instanceof Settled settled) {
      note(work, settled);
      return settled.lost().isEmpty() ? ReconcileResult.done() : ReconcileResult.again();
    }
    // Open: the next pass resumes.
    return attempt instanceof Later later
        ? ReconcileResult.after(later.delay())
        : ReconcileResult.again();
  }

  private Turn ranked(Turn turn, Optional<WaitRank> known, ClaimFacts claim)
      throws ApiUnavailableException {
    return known.isPresent() ? turn : turn.withPriority(schedulingFactsReader.priority(claim));
  }

  private void note(WorkKey work, Settled settled) {
    if (settled.members().isEmpty()) {
      return;
    }
    waitQueue.remove(work, settled.nodes());
    settled
        .losses()
        .forEach((claim, kind) -> claimEventRecorder.lost(claim, kind, Optional.empty()));
    if (settled.lost().isEmpty()) {
      settled
          .members()
          .forEach(
              claim ->
                  claimEventRecorder.granted(Mode.IMMEDIATE, claim.seen(), claim.seen().created()));
    }
  }
}
