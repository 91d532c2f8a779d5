package io.gpudra.controller.dra;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/**
 * Turns what happened in the cluster into keys to look at. Called by the watch threads ({@code
 * claim…}, {@code context…}, {@code …Changed}) and by the driver ({@code freed}, {@code
 * nodeChanged}); returns at once.
 */
public final class WakeUps {

  /** A claim appeared or changed, by anybody, ourselves included. */
  public void claimSeen(ClaimFacts now) {}

  /** A claim's object is gone. */
  public void claimGone(ClaimRef ref, ClaimUid uid) {}

  /** A scheduling context appeared, changed or is gone. */
  public void contextChanged(ObjectKey context) {}

  /** A class appeared, changed or is gone. */
  public void classChanged(String className) {}

  /** Claim or class parameters appeared, changed or are gone. */
  public void parametersChanged(ParametersRef parameters) {}

  /** Devices of a node became free; the oldest waiters of that node are woken, in portions. */
  public void freed(String node, int devices) {}

  /** A node's readiness, cordon, taints, labels or service changed. */
  public void nodeChanged(String node) {}
}
