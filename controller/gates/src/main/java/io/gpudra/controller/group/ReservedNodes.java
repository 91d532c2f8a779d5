package io.gpudra.controller.group;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.KeptNodes;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.Hold.InFlight;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The nodes that are kept for one group. Beside its plan, others may use what it does not need. The
 * claims that held devices at the start do not count, as their room is for the group: each that
 * ends brings it nearer, and no other takes its place.
 */
final class ReservedNodes implements KeptNodes {
  private final Waiter group;
  private final GroupPlan plan;
  private final End end;
  private final UnsuitableReason why;

  /** The ledgers of the nodes when they began to be kept. */
  private final ImmutableMap<String, NodeLedger> start;

  /**
   * The end of the time of the group.
   *
   * @param over whether it has come
   * @param at about this time, for texts
   */
  record End(BooleanSupplier over, Instant at) {}

  /**
   * Kept from now on.
   *
   * @param ledgers as they are now
   */
  ReservedNodes(Waiter group, GroupPlan plan, Function<String, NodeLedger> ledgers, End end) {
    this.group = group;
    this.plan = plan;
    this.end = end;
    this.why = why(group, end);
    this.start =
        plan.counts().keySet().stream().collect(ImmutableMap.toImmutableMap(node -> node, ledgers));
  }

  Waiter group() {
    return group;
  }

  ImmutableSet<String> nodes() {
    return start.keySet();
  }

  boolean isOver() {
    return end.over().getAsBoolean();
  }

  End end() {
    return end;
  }

  @Override
  public boolean concern(String node) {
    return start.containsKey(node);
  }

  @Override
  public boolean concern(String node, PodRequest request) {
    return concern(node) && !passes(request);
  }

  private boolean passes(PodRequest request) {
    return isOver() || request.rank().compareTo(group.rank()) < 0;
  }

  @Override
  public Optional<UnsuitableReason> refuse(
      NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner) {
    boolean passes = passes(request) || owner.equals(group.work().owner()) || hasRoom(next);
    return passes ? Optional.empty() : Optional.of(why);
  }

  /** The unit of a group has its kind before its name. */
  private static UnsuitableReason why(Waiter group, End end) {
    String unit = group.work().key().name();
    return new NodeRefusal.KeptForGroup(
        group.work().key().namespace(), unit.substring(unit.indexOf('/') + 1), end.at());
  }

  /** Whether the plan still is one for the group, on nodes as they are now. */
  boolean isFor(Waiter waiter, GroupRequest request, Function<String, NodeLedger> ledgers) {
    return group.equals(waiter)
        && plan.isFor(request)
        && start.keySet().stream().map(ledgers).allMatch(this::hasRoom);
  }

  /** Whether the group has room when only its own claims, and those granted since, stay. */
  private boolean hasRoom(NodeLedger ledger) {
    return plan.fits(ledger.only(Sets.filter(ledger.claims(), claim -> stays(ledger, claim))));
  }

  private boolean stays(NodeLedger ledger, ClaimUid claim) {
    Hold hold = ledger.holds().get(claim);
    return !isFromStart(ledger, claim) || (hold != null && plan.stays(hold.ref()));
  }

  private boolean isFromStart(NodeLedger ledger, ClaimUid claim) {
    NodeLedger before = start.get(ledger.node());
    return before != null
        && grants(before, claim).toList().containsAll(grants(ledger, claim).toList());
  }

  /** A claim that was released and granted again has another grant. */
  private static Stream<Grant> grants(NodeLedger ledger, ClaimUid claim) {
    return Optional.ofNullable(ledger.holds().get(claim)).stream().flatMap(ReservedNodes::grants);
  }

  private static Stream<Grant> grants(Hold hold) {
    return Stream.concat(hold.inApi().stream(), hold.inFlight().map(InFlight::grant).stream());
  }
}
