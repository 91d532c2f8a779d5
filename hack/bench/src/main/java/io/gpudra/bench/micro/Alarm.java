package io.gpudra.bench.micro;

import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Fails when a condition of the bench does: it would measure something else. */
final class Alarm implements GpuAlerts {

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
