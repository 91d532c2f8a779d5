package io.gpudra.controller.group;

import static java.util.Comparator.comparing;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.KeptNodes;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The groups that wait for too long take turns: nodes are kept for one at a time, and namespaces
 * take turns, too. A group has a limited time, and its namespace leaves others as much. A new
 * leader begins anew. Usable from any thread.
 */
public final class GroupTurns {
  private final Ledgers ledgers;
  private final Times times;
  private final LongSupplier nanoTime;
  private final Supplier<Instant> clock;
  private final BiConsumer<WorkKey, Duration> wake;
  private final EmptiedNodes emptiedNodes = new EmptiedNodes();

  /** All fields are guarded by this. */
  private final Map<WorkKey, Candidate> candidates = new HashMap<>();

  private final TurnHistory history = new TurnHistory();
  private Optional<Invitation> invited = Optional.empty();
  private Optional<NodeReservation> keeping = Optional.empty();
  private long nextPlan;

  /**
   * The options.
   *
   * @param patience the age at which a group may keep nodes
   * @param hold the time for which it does at most
   */
  public record Times(Duration patience, Duration hold) {}

  /** The namespace of a group, and the number of nodes that are kept for it. */
  public record Kept(String namespace, int nodes) {}

  /**
   * A group that does not fit.
   *
   * @param turn its last one; 0 if there was none
   * @param from when it may be invited again, after a turn in vain
   */
  private record Candidate(Waiter group, long turn, long from) {
    String namespace() {
      return GroupTurns.namespace(group);
    }
  }

  /** The time in which a group may plan. */
  private record Invitation(WorkKey group, long from, long until) {}

  /**
   * No group waits.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   * @param wake requeues a group after a delay
   */
  public GroupTurns(
      Ledgers ledgers,
      Times times,
      LongSupplier nanoTime,
      Supplier<Instant> clock,
      BiConsumer<WorkKey, Duration> wake) {
    this.ledgers = ledgers;
    this.times = times;
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.wake = wake;
    this.nextPlan = nanoTime.getAsLong();
  }

  /** The nodes that are kept now. */
  public synchronized Optional<Kept> kept() {
    return keeping
        .map(NodeReservation::nodes)
        .filter(nodes -> !nodes.isOver())
        .map(nodes -> new Kept(namespace(nodes.group()), nodes.nodes().size()));
  }

  /** Those that are kept for this group. */
  synchronized Optional<ReservedNodes> kept(WorkKey work) {
    return keeping
        .filter(now -> isOf(now, work))
        .map(NodeReservation::nodes)
        .filter(nodes -> !nodes.isOver());
  }

  /** The number of groups that wait for their turn. */
  public synchronized int size() {
    return candidates.size();
  }

  /**
   * The group does not fit now. If it is its turn, nodes are kept for it. The search may have taken
   * all the time of the pass, so a plan has as much again.
   */
  void waits(Waiter group, GroupRequest request, NodeCapacities capacities) {
    GroupDuty duty = duty(group);
    if (duty instanceof GroupDuty.Wait) {
      return;
    }
    if (!isAllowed(request)) {
      fail(group.work());
      return;
    }
    if (duty instanceof GroupDuty.Check check) {
      boolean stands = check.nodes().isFor(group, request, ledgers::ledger);
      if (stands) {
        found(group.work());
      }
      if (stands || !mayReplan()) {
        return;
      }
    }
    GroupPlan.of(ledgers.snapshot(), request, emptiedNodes, capacities, passTime())
        .ifPresentOrElse(plan -> keep(group, plan), () -> miss(group.work()));
  }

  private boolean isAllowed(GroupRequest request) {
    return ledgers.limit(request.together()).isEmpty();
  }

  /** Nodes may change all the time, and each plan takes long. */
  private synchronized boolean mayReplan() {
    boolean may = isReached(nextPlan);
    if (may) {
      nextPlan = nanoTime.getAsLong() + ControllerDelays.GROUP_PLAN_GAP.toNanos();
    }
    return may;
  }

  private synchronized GroupDuty duty(Waiter group) {
    WorkKey work = group.work();
    Candidate known = candidates.get(work);
    boolean same = known != null && known.group().uid().equals(group.uid());
    if (known != null && !same) {
      leave(work);
    }
    candidates.put(
        work,
        known != null && same
            ? new Candidate(group, known.turn(), known.from())
            : new Candidate(group, 0, nanoTime.getAsLong()));
    endIfOver();
    if (keeping.filter(now -> isOf(now, work)).isPresent()) {
      return new GroupDuty.Check(keeping.get().nodes());
    }
    invite(Optional.of(work));
    return invited.filter(one -> one.group().equals(work) && isReached(one.from())).isPresent()
        ? new GroupDuty.Plan()
        : new GroupDuty.Wait();
  }

  private static boolean isOf(NodeReservation keeping, WorkKey work) {
    return keeping.group().work().equals(work);
  }

  /** Whether the time of searches, or of a plan, that begin now is over. */
  BooleanSupplier passTime() {
    long end = nanoTime.getAsLong() + ControllerDelays.GROUP_PASS.toNanos();
    return () -> isReached(end);
  }

  private boolean isReached(long time) {
    return time - nanoTime.getAsLong() <= 0;
  }

  private static String namespace(Waiter group) {
    return group.work().key().namespace();
  }

  private void endIfOver() {
    keeping.filter(now -> isReached(now.until())).ifPresent(this::endInVain);
  }

  /**
   * The namespace leaves others as much time as its group had. Then a group that had all of its
   * time has it anew: what kept it from running may be over.
   */
  private void endInVain(NodeReservation now) {
    long over = isReached(now.until()) ? now.until() : nanoTime.getAsLong();
    history.rest(namespace(now.group()), over + over - now.since());
    end(now);
    if (left(now.group()) <= 0) {
      history.renew(now.group().uid());
    }
  }

  private void end(NodeReservation now) {
    history.use(now.group().uid(), nanoTime.getAsLong() - now.since());
    keeping = Optional.empty();
    KeptNodes unused = ledgers.keep(ledger -> KeptNodes.NONE);
    invite(Optional.empty());
  }

  private long left(Waiter group) {
    return times.hold().toNanos() - history.used(group.uid());
  }

  /**
   * Invites the next group, if it is time for one.
   *
   * @param present need not be woken
   */
  private void invite(Optional<WorkKey> present) {
    if (keeping.isPresent() || invited.filter(one -> !isReached(one.until())).isPresent()) {
      return;
    }
    invited = candidates.values().stream().filter(this::mayPlan).min(order()).map(this::invitation);
    invited
        .filter(one -> !present.equals(Optional.of(one.group())))
        .ifPresent(one -> wake.accept(one.group(), left(one.from())));
  }

  private Invitation invitation(Candidate next) {
    WorkKey work = next.group().work();
    long turn = history.begin(next.namespace());
    candidates.put(work, new Candidate(next.group(), turn, next.from()));
    long from = isReached(nextPlan) ? nanoTime.getAsLong() : nextPlan;
    nextPlan = from + ControllerDelays.GROUP_PLAN_GAP.toNanos();
    return new Invitation(work, from, from + ControllerDelays.GROUP_PLAN.toNanos());
  }

  private Comparator<Candidate> order() {
    return comparing((Candidate one) -> history.last(one.namespace()))
        .thenComparing(Candidate::turn)
        .thenComparing(Candidate::group);
  }

  private boolean mayPlan(Candidate one) {
    return untilPatience(one.group()).isZero()
        && isReached(one.from())
        && left(one.group()) > 0
        && isRested(one.namespace());
  }

  private boolean isRested(String namespace) {
    return history.restsUntil(namespace).map(this::isReached).orElse(true);
  }

  private Duration untilPatience(Waiter group) {
    Duration left = Duration.between(clock.get().minus(times.patience()), group.rank().since());
    return left.isNegative() ? Duration.ZERO : left;
  }

  private Duration left(long time) {
    return Duration.ofNanos(Math.max(0, time - nanoTime.getAsLong()));
  }

  /** The time after which the group is to be placed again although nothing changed, if any. */
  synchronized Optional<Duration> again(WorkKey work) {
    Optional<Duration> own =
        keeping
            .filter(now -> isOf(now, work))
            .map(now -> Comparators.min(left(now.until()), untilReplan()));
    return own.or(
            () -> invited.filter(one -> one.group().equals(work)).map(one -> left(one.from())))
        .or(
            () ->
                Optional.ofNullable(candidates.get(work))
                    .map(waiting -> untilPatience(waiting.group()))
                    .filter(left -> !left.isZero()));
  }

  /** Nodes that were lost since the last plan are replaced then. */
  private Duration untilReplan() {
    return isReached(nextPlan) ? ControllerDelays.WITHOUT_EVENT : left(nextPlan);
  }

  /** The nodes of the plan are kept for the group from now on, for the rest of its time. */
  synchronized void keep(Waiter group, GroupPlan plan) {
    WorkKey work = group.work();
    Optional<NodeReservation> own = keeping.filter(now -> isOf(now, work));
    if (own.isEmpty() && invited.filter(one -> one.group().equals(work)).isEmpty()) {
      return;
    }
    invited = Optional.empty();
    long now = nanoTime.getAsLong();
    long until = own.map(NodeReservation::until).orElse(now + left(group));
    ReservedNodes.End end = own.map(kept -> kept.nodes().end()).orElseGet(() -> end(until));
    ReservedNodes nodes = ledgers.keep(seen -> new ReservedNodes(group, plan, seen, end));
    keeping =
        Optional.of(
            new NodeReservation(
                nodes, own.map(NodeReservation::since).orElse(now), until, Optional.empty()));
  }

  /** The nodes of the plan have room again. */
  private synchronized void found(WorkKey work) {
    keeping = keeping.map(now -> isOf(now, work) ? now.missed(Optional.empty()) : now);
  }

  /**
   * There is no plan now. What is kept stays so for a moment, since a plugin may restart; its time
   * goes on.
   */
  private synchronized void miss(WorkKey work) {
    long now = nanoTime.getAsLong();
    Optional<NodeReservation> own = keeping.filter(one -> isOf(one, work));
    long from = own.flatMap(NodeReservation::missed).orElse(now);
    if (own.isPresent() && now - from < ControllerDelays.GROUP_ABSENCE.toNanos()) {
      keeping = own.map(one -> one.missed(Optional.of(from)));
    } else {
      fail(work);
    }
  }

  /** The end of the time by both clocks. */
  private ReservedNodes.End end(long until) {
    return new ReservedNodes.End(() -> isReached(until), clock.get().plus(left(until)));
  }

  /** There is no plan for the group: others have their turns before it is asked again. */
  synchronized void fail(WorkKey work) {
    long from = nanoTime.getAsLong() + ControllerDelays.GROUP_REPLAN.toNanos();
    candidates.computeIfPresent(work, (key, one) -> new Candidate(one.group(), one.turn(), from));
    passTurn(work);
  }

  /** The group waits for no devices. */
  synchronized void leave(WorkKey work) {
    candidates.remove(work);
    passTurn(work);
  }

  /** The group got its devices. */
  synchronized void granted(WorkKey work) {
    endIfOver();
    keeping.filter(now -> isOf(now, work)).ifPresent(this::end);
    leave(work);
  }

  private void passTurn(WorkKey work) {
    Optional<NodeReservation> own = keeping.filter(now -> isOf(now, work));
    if (own.isPresent()) {
      endInVain(own.get());
    } else if (invited.filter(one -> one.group().equals(work)).isPresent()) {
      invited = Optional.empty();
      invite(Optional.empty());
    }
  }

  /** The nodes that are kept from this group. */
  synchronized ImmutableSet<String> keptFrom(Waiter group) {
    return keeping
        .map(NodeReservation::nodes)
        .filter(nodes -> !nodes.isOver() && !nodes.group().work().equals(group.work()))
        .filter(nodes -> group.rank().compareTo(nodes.group().rank()) >= 0)
        .map(ReservedNodes::nodes)
        .orElse(ImmutableSet.of());
  }
}
