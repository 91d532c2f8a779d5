package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What must hold once nothing goes wrong any more and everything had time. */
record Rest(World world, Grants grants) {

  void check() {
    Controller leader = leader();
    leader.ledgers().snapshot().forEach(this::ledgerIsWhatTheServerShows);
    leader.ledgers().snapshot().forEach(this::idleGrantsAreTakenBack);
    grants.all().forEach(entry -> isHeld(entry, leader));
    leader.quotas().ifPresent(QuotaPort::mustShowUse);
    world.machines().forEach(this::nodeIsWhole);
    world.claims().stream().map(Seen::facts).forEach(this::isServed);
    if (!grants.doubled()) {
      Stuck stuck = new Stuck(world, grants);
      stuck.check();
      new AtGates(world, grants, stuck).check();
    }
    world.mustBeWhole();
  }

  private Controller leader() {
    ImmutableList<Controller> leaders =
        world.controllers().stream()
            .filter(Controller::working)
            .collect(ImmutableList.toImmutableList());
    if (leaders.size() != 1) {
      throw new Violation(leaders.size() + " controllers lead");
    }
    return leaders.get(0);
  }

  private void ledgerIsWhatTheServerShows(NodeLedger ledger) {
    Set<String> expected = new HashSet<>();
    Map<ClaimUid, Grant> granted = new HashMap<>();
    for (Grants.Entry entry : grants.all()) {
      if (entry.grant().node().equals(ledger.node())) {
        granted.put(entry.claim().uid(), entry.grant());
        expected.addAll(entry.gpus());
      }
    }
    ledger.inventory().prepared().forEach(claim -> expected.addAll(claim.deviceUuids()));
    ledger.holds().forEach((claim, hold) -> isGranted(claim, hold, granted));
    require(
        ledger.occupied().equals(expected),
        "%s is occupied by the ledger, %s by grants and node"
            .formatted(ledger.occupied(), expected));
    ImmutableList<PreparedClaim> prepared = world.machine(ledger.node()).listed();
    require(
        ledger.inventory().prepared().equals(prepared) || world.state(ledger.node()).isEmpty(),
        "%s is prepared by the ledger, %s on %s"
            .formatted(ledger.inventory().prepared(), prepared, ledger.node()));
  }

  private void idleGrantsAreTakenBack(NodeLedger ledger) {
    ledger
        .surplus()
        .forEach(
            (uid, claim) ->
                require(
                    !grants.of(uid).orElseThrow().claim().reservedFor().isEmpty(),
                    "%s has devices of another claim, and nobody uses them".formatted(claim)));
  }

  private void isGranted(ClaimUid claim, Hold hold, Map<ClaimUid, Grant> granted) {
    require(
        hold.inFlight().isEmpty(),
        "%s is in flight for %s, who is done".formatted(hold.ref(), hold.inFlight()));
    require(
        hold.inApi().isPresent() && hold.inApi().get().equals(granted.get(claim)),
        "%s is held but not granted: %s".formatted(hold.ref(), hold));
  }

  private void isHeld(Grants.Entry entry, Controller leader) {
    require(
        leader.ledgers().ledger(entry.grant().node()).holds().containsKey(entry.claim().uid()),
        "%s is granted but not held".formatted(entry.claim().ref()));
  }

  private void nodeIsWhole(Machine machine) {
    ImmutableSet<ClaimUid> held =
        machine.held().stream().map(PreparedClaim::uid).collect(ImmutableSet.toImmutableSet());
    require(
        machine.specs().equals(held),
        "CDI files %s, held claims %s on %s".formatted(machine.specs(), held, machine.name()));
    Inspection.of(machine).disorder().ifPresent(world::broken);
  }

  private void isServed(ClaimFacts claim) {
    boolean idle = claim.reservedFor().isEmpty();
    require(!(idle && claim.ending()), "%s is not released".formatted(claim.ref()));
    boolean forgotten =
        claim.hasFinalizer()
            && claim.allocation().isEmpty()
            && claim.mode() == ClaimFacts.Mode.DELAYED;
    require(
        !forgotten || isAnythingAsked(), "%s has our finalizer for nothing".formatted(claim.ref()));
  }

  /** Whether a pod waits for claims, which keep our finalizer meanwhile. */
  private boolean isAnythingAsked() {
    return !world.api().list(Resource.CONTEXTS).isEmpty()
        || world.api().list(Resource.PODS).stream().anyMatch(pod -> new Pod(pod).gated());
  }

  /** Every pod and claim was deleted: nothing of them is left. */
  void checkEmpty() {
    require(world.claims().isEmpty(), "claims left: %s".formatted(world.claims()));
    require(
        world.api().list(Resource.PODS).isEmpty(),
        "pods left: %s".formatted(world.api().list(Resource.PODS)));
    for (NodeLedger ledger : leader().ledgers().snapshot()) {
      require(ledger.holds().isEmpty(), "holds left: %s".formatted(ledger.holds()));
    }
    for (Machine machine : world.machines()) {
      nodeIsWhole(machine);
      for (PreparedClaim held : machine.held()) {
        require(
            !machine.kubeletAsksAgain()
                || world.disturbances().wasRebooted(machine)
                || world.disturbances().wasDisturbed(machine, held.ref()),
            "prepared claim left on %s: %s".formatted(machine.name(), held));
      }
    }
    world.mustBeWhole();
  }

  /** No claim exists, and every node that held something has booted since. */
  void checkNothingIsPrepared() {
    for (Machine machine : world.machines()) {
      require(
          machine.held().isEmpty(),
          "prepared for nobody on %s: %s".formatted(machine.name(), machine.held()));
    }
    world.mustBeWhole();
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      world.broken(otherwise);
    }
  }
}
