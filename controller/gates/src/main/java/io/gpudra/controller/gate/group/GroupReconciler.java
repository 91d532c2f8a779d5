package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.allocator.Allocator.Attempt;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Later;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Refused;
import io.gpudra.controller.dra.allocator.Allocator.Attempt.Settled;
import io.gpudra.controller.dra.allocator.Allocator.Reserved;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.dra.queue.Turn;
import io.gpudra.controller.dra.queue.WaitQueue;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.GateFactsReader;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GrantReturner;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.SlowListException;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupQuorum.GroupState;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Starts the members of a group together: allocates the claims of all, then removes their gates.
 * Nothing is held for a group that does not fit or is not complete.
 */
public final class GroupReconciler<P> implements Reconciler {
  private final EngineParts<P> parts;
  private final GroupPlacer<P> placer;
  private final GroupLifter lifter;
  private final GateFactsReader<P> facts;
  private final WaitQueue waitQueue;
  private final GroupReports reports;
  private final PlacingReports placingReports;
  private final GroupLooks looks;
  private final GrantReturner returner;
  private final MisjudgedMembers<P> misjudgedMembers;

  /** The groups with valid labels that have a member at the gate. */
  private final Map<ObjectKey, GroupSize> waitingGroups = new ConcurrentHashMap<>();

  /** The groups with a member at the gate, which holds back contexts of the others. */
  private final Set<ObjectKey> gatedGroups = ConcurrentHashMap.newKeySet();

  private final GroupPauses pauses;

  /**
   * A reconciler of groups.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public GroupReconciler(
      EngineParts<P> parts, GroupPlacer<P> placer, GroupLifter lifter, LongSupplier nanoTime) {
    this.parts = parts;
    this.placer = placer;
    this.pauses = new GroupPauses(nanoTime);
    this.lifter = lifter;
    this.facts = new GateFactsReader<>(parts.podClaims(), parts.ports().contexts());
    this.waitQueue = parts.requeuer().waitQueue();
    this.reports = new GroupReports(lifter.reports().sink());
    this.placingReports = new PlacingReports(placer, reports, parts.events());
    this.looks = new GroupLooks(nanoTime);
    this.returner = new GrantReturner(parts.ports().claims(), lifter.pods(), nanoTime);
    this.misjudgedMembers = new MisjudgedMembers<>(facts, returner, lifter.reports());
  }

  /** The number of groups of this size that have a member at the gate. */
  public int waiting(GroupSize size) {
    return Collections.frequency(waitingGroups.values(), size);
  }

  /** The number of entries about groups and nodes, by cache. */
  public ImmutableMap<String, IntSupplier> entries() {
    return ImmutableMap.of(
        "groups", waitingGroups::size,
        "gatedGroups", gatedGroups::size,
        "groupLooks", looks::size,
        "groupPauses", pauses::size,
        "groupNotices", placingReports::size,
        "groupRefusals", returner::refusals,
        "groupLeftOutNodes", returner::leftOutNodes);
  }

  @Override
  public ReconcileResult reconcile(ObjectKey unit) throws ApiUnavailableException {
    WorkKey work = WorkKey.gate(unit);
    if (!(parts.allocator().resume(work) instanceof Settled settled)) {
      return ReconcileResult.again();
    }
    parts.settled(work, settled);
    Duration pause = pauses.ofCrowd(unit);
    if (!pause.isZero()) {
      // The member at the gate, which holds back contexts, may be gone after the pause.
      Optional.of(unit).filter(lifter.pods()::isAtGate).ifPresent(gatedGroups::add);
      return ReconcileResult.after(pause);
    }
    ImmutableList<GatedPod> all = lifter.pods().ofUnit(unit);
    ImmutableList<GatedPod> waiting =
        all.stream().filter(pod -> !pod.over()).collect(toImmutableList());
    Optional<Duration> misjudged = misjudgedMembers.look(unit, waiting);
    ReconcileResult own =
        waiting.stream().anyMatch(GatedPod::gated) ? gated(work, waiting) : ungated(work, waiting);
    ReconcileResult result = misjudged.map(left -> sooner(own, left)).orElse(own);
    pauses.looked(unit, all.size(), result);
    return result;
  }

  private static ReconcileResult sooner(ReconcileResult result, Duration other) {
    boolean later =
        result.kind() == ReconcileResult.Kind.DONE
            || (result.kind() == ReconcileResult.Kind.AFTER && result.delay().compareTo(other) > 0);
    return later ? ReconcileResult.after(other) : result;
  }

  /**
   * The claims of members that were lifted are allocated. The context of any other one was held
   * back while a member was at the gate, and is requeued once.
   */
  private ReconcileResult ungated(WorkKey work, ImmutableList<GatedPod> waiting) {
    waiting.stream()
        .limit(GroupReports.MAX_MEMBERS)
        .filter(pod -> facts.situation(pod).pending().mayAllocate())
        .forEach(reports::ungated);
    ReconcileResult end = leave(work);
    return gatedGroups.contains(work.key()) ? requeueContexts(work.key(), waiting) : end;
  }

  private ReconcileResult requeueContexts(ObjectKey unit, ImmutableList<GatedPod> waiting) {
    Duration left = waiting.isEmpty() ? Duration.ZERO : pauses.requeue(unit);
    if (!left.isZero()) {
      return ReconcileResult.after(left);
    }
    gatedGroups.remove(unit);
    waiting.stream()
        .map(pod -> pod.ref())
        .filter(facts::hasContext)
        .map(pod -> new ObjectKey(pod.namespace(), pod.name()))
        .forEach(parts.requeuer()::contextChanged);
    return ReconcileResult.done();
  }

  private ReconcileResult gated(WorkKey work, ImmutableList<GatedPod> waiting)
      throws ApiUnavailableException {
    gatedGroups.add(work.key());
    parts
        .requeuer()
        .names(
            work,
            waiting.stream()
                .flatMap(pod -> pod.facts().claimRefs().stream())
                .collect(toImmutableSet()));
    GroupState state = GroupQuorum.of(waiting, Optional.empty());
    if (!(state instanceof GroupState.Unknown)) {
      looks.forget(work.key());
      return gated(work, waiting, state);
    }
    Duration left = looks.left(work.key());
    if (!left.isZero()) {
      return look(work, left);
    }
    try {
      Optional<ImmutableList<MemberFacts>> members = members(work.key());
      if (members.isPresent()) {
        return gated(work, waiting, GroupQuorum.of(waiting, members));
      }
      reports.largeList(waiting);
      return holdNothing(work, waiting);
    } catch (SlowListException e) {
      // Members may hold devices without which others that run are a part of a group.
      reports.slowList(waiting);
      return look(work, ControllerDelays.GROUP_LOOK);
    }
  }

  private ReconcileResult look(WorkKey work, Duration delay) {
    // What is on offer to it is for others.
    waitQueue.remove(work);
    return ReconcileResult.after(delay);
  }

  private ReconcileResult gated(WorkKey work, ImmutableList<GatedPod> waiting, GroupState state)
      throws ApiUnavailableException {
    if (state instanceof GroupState.Ready ready) {
      waitingGroups.put(work.key(), GroupSize.of(ready.size()));
      return start(work, waiting, ready);
    }
    if (state instanceof GroupState.Invalid invalid) {
      waitingGroups.remove(work.key());
      return invalid(work, waiting, invalid.problem());
    }
    if (state instanceof GroupState.Incomplete incomplete) {
      waitingGroups.put(work.key(), GroupSize.of(incomplete.size()));
      if (looks.isKnown(work.key())) {
        reports.incomplete(waiting, incomplete);
      }
    }
    return holdNothing(work, waiting);
  }

  private Optional<ImmutableList<MemberFacts>> members(ObjectKey unit)
      throws ApiUnavailableException, SlowListException {
    try {
      return lifter.pods().members(unit);
    } finally {
      looks.ended(unit);
    }
  }

  /** The members that get devices together; rules that need no claim are asked first. */
  private ReconcileResult start(
      WorkKey work, ImmutableList<GatedPod> waiting, GroupState.Ready ready)
      throws ApiUnavailableException {
    ImmutableList<GatedPod> starting =
        Stream.concat(ready.needed().stream(), waiting.stream().filter(pod -> !pod.gated()))
            .collect(toImmutableList());
    Optional<String> problem = MemberRules.problem(starting);
    if (problem.isPresent()) {
      return invalid(work, waiting, problem.get());
    }
    Duration pause = pauses.left(work.key());
    if (!pause.isZero()) {
      return ReconcileResult.after(pause);
    }
    MemberSituations<P> read = MemberSituations.of(starting, facts);
    if (read.problem().isPresent()) {
      pauses.searched(work.key());
      return invalid(work, waiting, read.problem().get());
    }
    return start(new GroupPass<>(work, waiting, ready, read.all()));
  }

  private ReconcileResult invalid(WorkKey work, ImmutableList<GatedPod> waiting, String problem)
      throws ApiUnavailableException {
    reports.invalid(waiting, problem);
    return holdNothing(work, waiting);
  }

  private ReconcileResult start(GroupPass<P> pass) throws ApiUnavailableException {
    Optional<String> problem =
        pass.starting().stream()
            .flatMap(situation -> MemberRules.problem(situation).stream())
            .findFirst();
    if (problem.isPresent()) {
      return invalid(pass.work(), pass.waiting(), problem.get());
    }
    if (pass.starting().stream().anyMatch(MemberRules::isBlocked)) {
      pauses.read(pass.work().key(), pass.entries());
      pass.starting()
          .forEach(
              one ->
                  one.pending()
                      .blockers()
                      .forEach(why -> parts.events().obstacle(why, one.pod().ref())));
      return holdNothing(pass.work(), pass.waiting());
    }
    OpenMembers<P> open = pass.open();
    return open.isEmpty() ? lift(pass) : grant(pass, open);
  }

  private ReconcileResult holdNothing(WorkKey work, ImmutableList<GatedPod> waiting)
      throws ApiUnavailableException {
    waitQueue.remove(work);
    placer.leave(work);
    placingReports.kept(work, waiting);
    return returner
        .giveBackAtGates(waiting)
        .orElse(ReconcileResult.after(ControllerDelays.WITHOUT_EVENT));
  }

  private ReconcileResult grant(GroupPass<P> pass, OpenMembers<P> open)
      throws ApiUnavailableException {
    ImmutableList<PendingClaim<P>> claims = open.claims();
    Turn turn = waitQueue.enter(pass.waiter(), pass.work());
    Optional<Duration> others = turn.letPass(claims.size());
    if (others.isPresent()) {
      return ReconcileResult.after(others.get());
    }
    GroupPlacing[] placing = {new GroupPlacing.Busy()};
    Attempt attempt =
        parts
            .allocator()
            .allocate(
                pass.work(),
                claims,
                () -> {
                  placing[0] = place(pass.waiter(), open, turn);
                  return reserved(placing[0]);
                },
                open.users());
    if (attempt instanceof Settled settled) {
      parts.settled(pass.work(), settled);
      return settled.lost().isEmpty() ? lift(pass) : ReconcileResult.again();
    }
    if (attempt instanceof Later later) {
      return ReconcileResult.after(later.delay());
    }
    // Open: the next pass resumes.
    return attempt instanceof Attempt.Open
        ? ReconcileResult.again()
        : refused(pass, turn, open, placing[0]);
  }

  private GroupPlacing place(Waiter group, OpenMembers<P> open, Turn turn) {
    String namespace = group.work().key().namespace();
    return placer.place(
        open.members(),
        () ->
            Stream.concat(
                    turn.onOffer().stream(),
                    open.sizes().flatMap(size -> returner.leftOut(namespace, size).stream()))
                .collect(toImmutableSet()),
        group);
  }

  private static Reserved reserved(GroupPlacing placing) {
    if (placing instanceof GroupPlacing.Placed placed) {
      return new Reserved.Handles(placed.handles());
    }
    return new Reserved.No(
        placing instanceof GroupPlacing.Busy busy
            ? new Later(ControllerDelays.GROUP_TURN.multipliedBy(busy.turnedAway()))
            : new Refused(new NodeSuitability(ImmutableMap.of()), /* alike= */ false));
  }

  private ReconcileResult refused(
      GroupPass<P> pass, Turn turn, OpenMembers<P> open, GroupPlacing placing)
      throws ApiUnavailableException {
    pauses.searched(pass.work().key());
    Optional<ReconcileResult> left = returner.giveBackAtGates(pass.waiting());
    placingReports.refused(pass, open, placing);
    if (placing instanceof GroupPlacing.Limited limited) {
      return ReconcileResult.after(turn.limited(limited.limits(), open.claims().size()));
    }
    Duration poll = turn.refusedAnywhere(/* alike= */ false);
    return left.orElse(
        ReconcileResult.after(Comparators.min(poll, placer.again(pass.work()).orElse(poll))));
  }

  private ReconcileResult lift(GroupPass<P> pass) {
    boolean all =
        lifter.lift(
            pass.needed().stream()
                .map(one -> new GroupLifter.GrantedPod(one.pod(), one.claims()))
                .collect(toImmutableList()));
    if (!all) {
      return ReconcileResult.again();
    }
    reports.started(GroupSize.of(pass.state().size()), pass.state().rank().since());
    return leave(pass.work());
  }

  private ReconcileResult leave(WorkKey work) {
    looks.forget(work.key());
    waitingGroups.remove(work.key());
    pauses.forget(work.key());
    placer.leave(work);
    placingReports.forget(work);
    parts.requeuer().forget(work);
    return ReconcileResult.done();
  }
}
