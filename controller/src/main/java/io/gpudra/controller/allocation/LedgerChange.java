package io.gpudra.controller.allocation;

import static com.google.common.base.Predicates.not;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.PreparedClaim;
import java.util.List;
import java.util.Set;

/** Two ledgers of one node, one after the other; knows what the difference means to waiters. */
record LedgerChange(NodeLedger before, NodeLedger after) {

  void tell(LedgerListener listener) {
    int freed = Sets.difference(available(after), available(before)).size();
    if (freed > 0) {
      listener.freed(after.node(), freed);
    }
    if (stateChanged() || obstacleGone()) {
      listener.nodeChanged(after.node());
    }
    ImmutableList<DoubleGrant> doubleGrants = after.doubleGrants();
    if (!doubleGrants.isEmpty()) {
      tell(doubleGrants, listener);
    }
  }

  private void tell(ImmutableList<DoubleGrant> doubleGrants, LedgerListener listener) {
    ImmutableList<DoubleGrant> known = before.doubleGrants();
    doubleGrants.stream().filter(not(known::contains)).forEach(listener::grantedTwice);
    Maps.difference(after.surplus(), before.surplus())
        .entriesOnlyOnLeft()
        .values()
        .forEach(listener::surplus);
  }

  private static Set<String> available(NodeLedger ledger) {
    if (!ledger.serving()) {
      return ImmutableSet.of();
    }
    Set<String> gpus =
        ledger.inventory().gpus().stream().map(Gpu::uuid).collect(ImmutableSet.toImmutableSet());
    return Sets.difference(gpus, ledger.occupied());
  }

  private boolean stateChanged() {
    return !hardwareAndState(before.inventory()).equals(hardwareAndState(after.inventory()));
  }

  /** All of an inventory but who holds and has prepared devices. */
  private static List<Object> hardwareAndState(Inventory inventory) {
    return List.of(
        inventory.node(),
        inventory.service(),
        inventory.gpus(),
        inventory.driverVersion(),
        inventory.cudaDriverVersion());
  }

  /** A prepared name or an unreadable handle stood in the way of claims and does no longer. */
  private boolean obstacleGone() {
    return !after.unreadable().keySet().containsAll(before.unreadable().keySet())
        || !names(after).entries().containsAll(names(before).entries());
  }

  private static ImmutableSetMultimap<String, ClaimUid> names(NodeLedger ledger) {
    return ledger.inventory().prepared().stream()
        .collect(
            ImmutableSetMultimap.toImmutableSetMultimap(
                prepared -> prepared.ref().kubeletKey(), PreparedClaim::uid));
  }
}
