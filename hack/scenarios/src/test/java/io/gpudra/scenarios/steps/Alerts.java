package io.gpudra.scenarios.steps;

import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** What driver and ledgers notice: wakes who waits, and is told in the history. */
record Alerts(World world, Requeuer requeuer) implements GpuAlerts, LedgerListener {

  @Override
  public void freed(String node, int devices) {
    requeuer.freed(node, devices);
  }

  @Override
  public void nameReleased(String node, ClaimRef claim) {
    requeuer.nameReleased(node, claim);
  }

  @Override
  public void released(NodeLedger had, ClaimUid claim) {
    requeuer.limitsEased(had.ref(claim).namespace());
  }

  @Override
  public void grantedTwice(DoubleGrant twice) {
    world.say("a controller sees %s granted to %s", twice.deviceUuid(), twice.claims().values());
  }

  @Override
  public void surplusFound(ClaimRef claim) {
    requeuer.surplusFound(claim);
  }

  @Override
  public void unreadableHandle(
      ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
    world.broken("handle of " + ref + " is unreadable: " + problem);
  }

  @Override
  public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
    world.broken(ref + " has a handle made for " + grant.claim());
  }

  @Override
  public void conditionFailed(String expression, String problem) {}

  @Override
  public void conditionBroken(String expression, String result) {}
}
