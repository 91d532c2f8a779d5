package io.gpudra.kubeletplugin.prepare;

import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares again, unasked, what was prepared before the boot and is still in use. That is for
 * kubelets before 1.28: they start a pod without a call when its claim is in their checkpoint
 * (protocol.md 13.2).
 */
public record PutBack(ClaimPreparer preparer, LiveGrants grants) {

  private static final Logger log = LoggerFactory.getLogger(PutBack.class);

  /**
   * Once over all remembered claims; may be repeated.
   *
   * @return why one of them is not judged yet; empty when all are
   */
  public Optional<String> attempt() {
    for (Remembered claim : preparer.remembered()) {
      if (preparer.holds(claim.grant().claim())) {
        continue;
      }
      LiveGrant live = grants.of(claim.ref());
      if (live instanceof LiveGrant.Unknown unknown) {
        return Optional.of(unknown.problem());
      }
      if (inUse(claim, live)) {
        putBack(claim);
      }
    }
    return Optional.empty();
  }

  /** The kubelet gives containers the devices of then, so they must be those of now. */
  private static boolean inUse(Remembered claim, LiveGrant live) {
    return live instanceof LiveGrant.Granted now
        && now.reserved()
        && now.to(claim.grant().claim()).filter(claim.grant()::equals).isPresent();
  }

  private void putBack(Remembered claim) {
    PrepareOutcome outcome = preparer.putBack(claim);
    if (outcome instanceof PrepareOutcome.Refused no) {
      log.warn(
          "claim not put back after a boot claim={} reason=\"{}\"",
          claim.ref(),
          no.refusal().text());
    } else {
      log.info("claim put back after a boot claim={}", claim.ref());
    }
  }
}
