package io.gpudra.kubeletplugin.kube;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.LiveGrant;
import io.gpudra.kubeletplugin.prepare.LiveGrants;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks which held claims still exist. A claim whose object is gone is reported and keeps its
 * devices: after a pod was deleted by force, its containers still run (node.md 5).
 */
public final class LiveClaims {

  private static final Logger log = LoggerFactory.getLogger(LiveClaims.class);

  private final LiveGrants grants;
  private final ClaimPreparer preparer;
  private final Clock clock;
  private int next;

  /** No claim is checked yet. */
  public LiveClaims(LiveGrants grants, ClaimPreparer preparer, Clock clock) {
    this.grants = grants;
    this.preparer = preparer;
    this.clock = clock;
  }

  /**
   * Sends one GET for each held claim. An unclear answer changes nothing and ends the round, since
   * each call may wait ten seconds; the next round begins behind that claim.
   */
  public void checkOnce() {
    ImmutableList<PreparedClaim> held = preparer.held();
    for (int asked = 0; asked < held.size(); asked++) {
      PreparedClaim claim = held.get(Math.floorMod(next++, held.size()));
      LiveGrant live = grants.of(claim.ref());
      if (live instanceof LiveGrant.NoAnswer) {
        return;
      }
      live.isClaim(claim.uid()).ifPresent(exists -> report(claim, !exists));
    }
  }

  private void report(PreparedClaim claim, boolean gone) {
    if (!preparer.orphaned(claim.uid(), gone, clock.instant())) {
      return;
    }
    if (gone) {
      log.warn(
          "claim is gone but still prepared, its devices stay held claim={} uid={} devices={}",
          claim.ref(),
          claim.uid(),
          claim.deviceUuids());
    } else {
      log.info("claim exists again claim={} uid={}", claim.ref(), claim.uid());
    }
  }
}
