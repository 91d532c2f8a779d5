package io.gpudra.controller.snapshot;

import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Ignores the driver's alerts, for snapshots that are only queried. */
public class NoOpAlerts implements GpuAlerts {

  @Override
  public void unreadableHandle(
      ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {}

  @Override
  public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {}

  @Override
  public void conditionFailed(String expression, String problem) {}

  @Override
  public void conditionBroken(String expression, String result) {}
}
