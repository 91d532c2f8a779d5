package io.gpudra.bench.micro;

import io.gpudra.controller.allocation.DoubleGrant;
import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Whoever is told, where nobody needs to know. */
final class Nobody implements LedgerListener, GpuAlerts {

  @Override
  public void freed(String node, int devices) {}

  @Override
  public void nameFree(ClaimRef claim) {}

  @Override
  public void grantedTwice(DoubleGrant doubleGrant) {}

  @Override
  public void surplus(ClaimRef claim) {}

  @Override
  public void unreadableHandle(
      ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {}

  @Override
  public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {}

  @Override
  public void conditionFailed(String expression, String problem) {
    throw new IllegalStateException(expression + ": " + problem);
  }

  @Override
  public void conditionBroken(String expression, String result) {
    throw new IllegalStateException(expression + " yields a " + result);
  }
}
