package io.gpudra.scenarios.steps;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Sees every decision of the real driver beside what it knew when it decided. */
record WatchedDriver<P>(Driver<P> driver, Ledgers ledgers, Controller process, World world)
    implements Driver<P> {
  private static final String CONTEXT = "context:";

  @Override
  public String name() {
    return driver.name();
  }

  @Override
  public long bytes(P parameters) {
    return driver.bytes(parameters);
  }

  @Override
  public io.gpudra.controller.dra.DriverParameters<P> parameters(
      ClassFacts resourceClass, ClaimFacts claim) {
    return driver.parameters(resourceClass, claim);
  }

  @Override
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<P>> claimsOfOnePod) {
    return driver.problems(claimsOfOnePod);
  }

  @Override
  public void gone(ClaimUid claim) {
    driver.gone(claim);
  }

  @Override
  public ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim) {
    return driver.unsatisfiable(resourceClass, claim);
  }

  @Override
  public NodeSuitability suitability(
      ImmutableList<PendingClaim<P>> claimsOfOnePod, ImmutableSet<String> nodes) {
    return driver.suitability(claimsOfOnePod, nodes);
  }

  @Override
  public Allocation allocate(
      ImmutableList<PendingClaim<P>> claimsOfOnePod, NodeChoice where, HoldOwner owner) {
    Map<String, NodeLedger> known = new TreeMap<>();
    ledgers.snapshot().forEach(ledger -> known.put(ledger.node(), ledger));
    process.pods().ifPresent(port -> mustNotBeHeldBack(port, owner));
    String namespace = claimsOfOnePod.get(0).claim().ref().namespace();
    long before = process.quotas().map(port -> port.held(namespace)).orElse(0L);
    Allocation allocation = driver.allocate(claimsOfOnePod, where, owner);
    process.quotas().ifPresent(port -> port.mustAllow(namespace, before));
    if (allocation instanceof Allocation.Held held) {
      NodeLedger seen = known.get(held.node());
      claimsOfOnePod.forEach(pending -> mustBeFreeOfItsName(pending.claim(), seen));
      claimsOfOnePod.forEach(pending -> mustBeHeldOnce(pending.claim()));
    }
    process.breathe();
    return allocation;
  }

  /** A member of a group gets nothing by itself while another one is at the gate. */
  private void mustNotBeHeldBack(GatePort port, HoldOwner owner) {
    if (!owner.name().startsWith(CONTEXT)) {
      return;
    }
    List<String> key = Splitter.on('/').splitToList(owner.name().substring(CONTEXT.length()));
    world
        .api()
        .get(Resource.PODS, key.get(0), key.get(1))
        .map(Pod::new)
        .filter(port::isGroupAtGate)
        .ifPresent(
            pod -> world.broken("%s is granted apart from its group (G3)".formatted(owner.name())));
  }

  private void mustBeFreeOfItsName(ClaimFacts claim, NodeLedger seen) {
    String key = claim.ref().kubeletKey();
    boolean prepared =
        !seen.holds().containsKey(claim.uid())
            && seen.inventory().prepared().stream()
                .anyMatch(other -> other.ref().kubeletKey().equals(key));
    boolean granted =
        seen.holds().entrySet().stream()
            .anyMatch(
                other ->
                    !other.getKey().equals(claim.uid())
                        && other.getValue().ref().kubeletKey().equals(key));
    if (prepared || granted) {
      world.broken(
          "%s is granted on %s, where the kubelet knows another claim by its name"
              .formatted(claim.ref(), seen.node()));
    }
  }

  private void mustBeHeldOnce(ClaimFacts claim) {
    long nodes =
        ledgers.snapshot().stream()
            .filter(ledger -> ledger.holds().containsKey(claim.uid()))
            .count();
    if (nodes != 1) {
      world.broken("%s is held on %d nodes (I5)".formatted(claim.ref(), nodes));
    }
  }

  @Override
  public void granted(ClaimUid claim, HoldOwner owner) {
    driver.granted(claim, owner);
    process.breathe();
  }

  @Override
  public void release(ClaimUid claim, HoldOwner owner) {
    driver.release(claim, owner);
    process.breathe();
  }

  @Override
  public boolean isSurplus(ClaimUid claim) {
    return driver.isSurplus(claim);
  }

  @Override
  public boolean mayStillBePrepared(ClaimUid claim) {
    return driver.mayStillBePrepared(claim);
  }

  @Override
  public void observe(ClaimRef ref, ClaimUid claim, Optional<ResourceHandle> ours) {
    driver.observe(ref, claim, ours);
  }
}
