package io.gpudra.controller.allocation;

import static com.google.common.base.Predicates.not;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.ledger.TaintedDevice;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.GpuUsage;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Two successive ledgers of one node; derives what their difference means for waiters. */
record LedgerChange(NodeLedger before, NodeLedger after) {

  /** The first known ledger of a node, as a change. */
  static LedgerChange since(NodeLedger known) {
    return new LedgerChange(NodeLedger.unknown(known.node()), known);
  }

  void notifyListener(LedgerListener listener) {
    if (onlyHoldsMore()) {
      notifyDoubleGrants(
          Sets.difference(after.holds().keySet(), before.holds().keySet()), listener);
    } else {
      notifyFreed(listener);
      notifyDoubleGrants(after.holds().keySet(), listener);
    }
  }

  /** True for nearly all changes while the claims of a cluster are read one by one. */
  @SuppressWarnings("ReferenceEquality") // To compare the contents takes as long as the rest.
  private boolean onlyHoldsMore() {
    return after.inventory() == before.inventory()
        && after.unreadable().equals(before.unreadable())
        && after.unseen().keySet().containsAll(before.unseen().keySet())
        && after.holds().entrySet().containsAll(before.holds().entrySet());
  }

  private void notifyFreed(LedgerListener listener) {
    // A node that cannot be evaluated frees nothing.
    int gained = FaultIsolation.evaluate(() -> gained() + lessMonitored(), why -> 0);
    if (gained > 0) {
      listener.freed(after.node(), gained);
    }
    Sets.difference(known(before), known(after))
        .forEach(claim -> listener.nameReleased(after.node(), claim));
    Sets.difference(served(before), served(after)).forEach(listener::holdsGone);
    Sets.difference(before.claims(), after.claims())
        .forEach(claim -> listener.released(before, claim));
  }

  /** Claims that hold devices or are prepared. */
  private static ImmutableSet<ClaimUid> served(NodeLedger ledger) {
    return Stream.concat(
            ledger.claims().stream(),
            ledger.inventory().prepared().stream().map(PreparedClaim::uid))
        .collect(ImmutableSet.toImmutableSet());
  }

  private void notifyDoubleGrants(Set<ClaimUid> among, LedgerListener listener) {
    ImmutableList<DoubleGrant> doubleGrants =
        FaultIsolation.evaluate(() -> after.doubleGrants(among), why -> ImmutableList.of());
    if (doubleGrants.isEmpty()) {
      return;
    }
    ImmutableList<DoubleGrant> known =
        FaultIsolation.evaluate(before::doubleGrants, why -> ImmutableList.of());
    doubleGrants.stream().filter(not(known::contains)).forEach(listener::grantedTwice);
    Maps.difference(surplus(after), surplus(before))
        .entriesOnlyOnLeft()
        .values()
        .forEach(listener::surplusFound);
  }

  private static ImmutableMap<ClaimUid, ClaimRef> surplus(NodeLedger ledger) {
    return FaultIsolation.evaluate(ledger::surplus, why -> ImmutableMap.of());
  }

  private int gained() {
    Set<Gpu> now = available(after);
    return forMore() ? now.size() : Sets.difference(now, available(before)).size() + lessUsed();
  }

  /** A claim that monitors takes no device, so it counts once there is room for such a claim. */
  private int lessMonitored() {
    return before.monitors() >= NodeLedger.MAX_MONITORS
            && after.monitors() < NodeLedger.MAX_MONITORS
        ? 1
        : 0;
  }

  /** Devices in use that have lost a holder or a taint. */
  private int lessUsed() {
    if (!after.serving() || !before.sharesDevices()) {
      return 0;
    }
    ImmutableMap<String, GpuUsage> then = usages(before);
    ImmutableSet<String> relieved = relieved();
    Map<String, GpuUsage> less =
        Maps.filterEntries(
            usages(after),
            now ->
                !now.getValue().holdings().isEmpty()
                    && then.containsKey(now.getKey())
                    && (relieved.contains(now.getKey())
                        || !now.getValue()
                            .holdings()
                            .containsAll(then.get(now.getKey()).holdings())));
    return less.size();
  }

  /** GPUs that have lost a taint, their own or a MIG device's, by UUID. */
  private ImmutableSet<String> relieved() {
    return Sets.difference(taints(before), taints(after)).stream()
        .map(Map.Entry::getKey)
        .collect(ImmutableSet.toImmutableSet());
  }

  private static ImmutableSet<Map.Entry<String, DeviceTaint>> taints(NodeLedger ledger) {
    return TaintedDevice.of(ledger)
        .flatMap(one -> one.taints().stream().map(taint -> Map.entry(one.gpu().uuid(), taint)))
        .collect(ImmutableSet.toImmutableSet());
  }

  private static ImmutableMap<String, GpuUsage> usages(NodeLedger ledger) {
    ImmutableMap.Builder<String, GpuUsage> usages = ImmutableMap.builder();
    for (int i = 0; i < ledger.usages().size(); i++) {
      usages.put(ledger.inventory().gpus().get(i).uuid(), ledger.usages().get(i));
    }
    return usages.buildKeepingLast();
  }

  /** Available GPUs with their hardware: a device that changed may match other conditions. */
  private static Set<Gpu> available(NodeLedger ledger) {
    if (!ledger.acceptsClaims()) {
      return ImmutableSet.of();
    }
    ImmutableSet<String> occupied = ledger.occupied();
    return ledger.inventory().gpus().stream()
        .filter(gpu -> !occupied.contains(gpu.uuid()))
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Whether devices of the node may suit claims that they did not suit before. */
  private boolean forMore() {
    Inventory old = before.inventory();
    Inventory now = after.inventory();
    return !now.driverVersion().equals(old.driverVersion())
        || !now.cudaDriverVersion().equals(old.cudaDriverVersion())
        || (admits(now.node()) && !(admits(old.node()) && admitsNoMore(old.node(), now.node())));
  }

  /** Whether the node may be chosen for a claim whose pod and class allow it. */
  private static boolean admits(NodeState node) {
    return node.ready() && !node.cordoned() && !node.crowded();
  }

  /** Whether the node suits no claim on account of its labels, taints and size that it did not. */
  private static boolean admitsNoMore(NodeState old, NodeState now) {
    return now.labels().equals(old.labels())
        && now.taints().containsAll(old.taints())
        && now.allocatable().equals(old.allocatable());
  }

  /** Claims that the kubelet may know, also without devices. */
  private static ImmutableSet<ClaimRef> known(NodeLedger ledger) {
    return Stream.concat(
            ledger.inventory().prepared().stream().map(PreparedClaim::ref),
            ledger.unseen().values().stream())
        .collect(ImmutableSet.toImmutableSet());
  }
}
