package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares again, without a call, claims that were prepared before the boot and are still in use.
 * Kubelets before 1.28 need that: they start a pod without a call when its claim is in their
 * checkpoint (protocol.md 9.2).
 */
public record BootRestore(ClaimPreparer preparer, LiveGrants grants) {

  private static final Logger log = LoggerFactory.getLogger(BootRestore.class);

  /** The grant to prepare for a remembered claim, if any. */
  private interface Choice {
    Optional<Grant> grant(Remembered claim, LiveGrant live);
  }

  /**
   * Prepares the claims whose grant has not changed, once for each remembered claim; repeatable.
   *
   * @return the reason why one of them is still undecided; empty when none is
   */
  public Optional<String> attempt() {
    return forEach(BootRestore::asItWas);
  }

  /**
   * The same, also for claims that were deallocated since and allocated here again: their names
   * were not published yet, so the controller could not know that this kubelet would not call.
   */
  public Optional<String> again() {
    return forEach(BootRestore::asItIs);
  }

  private Optional<String> forEach(Choice choice) {
    for (Remembered claim : preparer.remembered()) {
      if (preparer.holds(claim.grant().claim())) {
        continue;
      }
      LiveGrant live = grants.of(claim.ref());
      if (live instanceof LiveGrant.NoAnswer noAnswer) {
        return Optional.of(noAnswer.problem());
      }
      choice.grant(claim, live).ifPresent(grant -> putBack(claim.ref(), grant));
    }
    return Optional.empty();
  }

  private static Optional<Grant> asItWas(Remembered claim, LiveGrant live) {
    return asItIs(claim, live).filter(claim.grant()::equals);
  }

  /** The kubelet knows the claim's CDI device by its UID; the content of the file may change. */
  private static Optional<Grant> asItIs(Remembered claim, LiveGrant live) {
    return live instanceof LiveGrant.Granted now && now.reserved()
        ? now.grantOf(claim.grant().claim())
            .filter(grant -> grant.node().equals(claim.grant().node()))
        : Optional.empty();
  }

  private void putBack(ClaimRef claim, Grant grant) {
    PrepareOutcome outcome = preparer.putBack(claim, grant);
    if (outcome instanceof PrepareOutcome.Refused no) {
      log.warn(
          "claim not prepared after a boot claim={} reason=\"{}\"", claim, no.refusal().text());
    } else {
      log.info("claim prepared after a boot claim={}", claim);
    }
  }
}
