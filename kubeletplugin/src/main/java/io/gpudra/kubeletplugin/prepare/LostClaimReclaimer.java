package io.gpudra.kubeletplugin.prepare;

import com.google.common.base.Suppliers;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import io.gpudra.kubeletplugin.prepare.LostClaim.NextStep;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims claims that a kubelet has lost: the claim is gone and no container can have its devices.
 * {@link LostClaim} decides. Devices are never taken from a running container: first no other
 * container may begin to use them, then the containers that use them must have ended.
 */
public final class LostClaimReclaimer {

  private static final Logger log = LoggerFactory.getLogger(LostClaimReclaimer.class);

  private final LocalNode node;
  private final NodeClaims claims;
  private final LiveGrants grants;
  private final ClaimUnpreparer claimUnpreparer;
  private final Clock clock;

  LostClaimReclaimer(
      LocalNode node,
      NodeClaims claims,
      LiveGrants grants,
      ClaimUnpreparer claimUnpreparer,
      Clock clock) {
    this.node = node;
    this.claims = claims;
    this.grants = grants;
    this.claimUnpreparer = claimUnpreparer;
    this.clock = clock;
  }

  /**
   * Reads each claim that may be lost once from the API server, and takes one step for each claim
   * with an answer. It stops after a call without an answer. The pods of the node are read at most
   * once: a pod that is gone by then does not come back.
   */
  public void attempt() {
    Supplier<Optional<PodSet>> seen = Suppliers.memoize(node.pods()::list);
    for (Map.Entry<ClaimUid, LostClaim> one : claims.with(CheckpointCache::lost).entrySet()) {
      LostClaim lost = one.getValue();
      if (lost.remembered() && lost.held().pods().isPresent()) {
        LiveGrant live = grants.of(lost.held().ref());
        if (live instanceof LiveGrant.NoAnswer) {
          return;
        }
        attempt(one.getKey(), live, seen);
      }
    }
  }

  private void attempt(ClaimUid uid, LiveGrant live, Supplier<Optional<PodSet>> seen) {
    observe(uid, live);
    if (live.isClaim(uid).isPresent()) {
      claimUnpreparer.attempt(uid, () -> step(uid, seen)).ifPresent(left -> warn(uid, left));
    }
  }

  private void observe(ClaimUid uid, LiveGrant live) {
    live.isClaim(uid).ifPresent(exists -> claims.orphaned(uid, !exists, clock.instant()));
    claims
        .with(
            held -> {
              held.usedBy(uid, live.usersOf(uid));
              return held.writeNotes();
            })
        .ifPresent(unwritten -> warn(uid, unwritten));
  }

  /** No other call works on the claim, which may have changed since it was read. */
  private Optional<PrepareRefusal> step(ClaimUid uid, Supplier<Optional<PodSet>> seen) {
    LostClaim lost = claims.with(CheckpointCache::lost).get(uid);
    return lost == null ? Optional.empty() : step(uid, lost, seen);
  }

  private Optional<PrepareRefusal> step(
      ClaimUid uid, LostClaim lost, Supplier<Optional<PodSet>> pods) {
    NextStep next = lost.next(clock.instant(), pods, () -> idle(lost));
    if (next instanceof NextStep.Wait wait) {
      log.debug("claim stays prepared claim={} reason=\"{}\"", lost.held().ref(), wait.why());
      return Optional.empty();
    }
    if (next instanceof NextStep.Open) {
      claims.undoCancelled(uid);
      return Optional.empty();
    }
    return next instanceof NextStep.Fence ? fence(uid, lost) : reclaim(uid, lost);
  }

  private boolean idle(LostClaim lost) {
    return node.unreachable().isEmpty()
        && lost.held().grant().devices().stream()
            .map(GrantedDevice::uuid)
            .allMatch(node.devices()::idle);
  }

  /** Fences the claim; once its file is gone, all pods that may have read it are visible. */
  private Optional<PrepareRefusal> fence(ClaimUid uid, LostClaim lost) {
    Optional<PrepareRefusal> left = claimUnpreparer.removeFile(uid);
    Optional<PodSet> seen = left.isPresent() ? Optional.empty() : node.pods().list();
    if (seen.isEmpty()) {
      return left;
    }
    log.warn("claim is gone, no container may begin to use it claim={}", lost.held().ref());
    return claims.with(held -> held.fence(uid, seen.get().present()));
  }

  private Optional<PrepareRefusal> reclaim(ClaimUid uid, LostClaim lost) {
    Optional<PrepareRefusal> left = claimUnpreparer.undo(uid);
    if (left.isEmpty()) {
      log.warn(
          "released the devices of a deleted claim that the kubelet had lost claim={} uid={}"
              + " devices={}",
          lost.held().ref(),
          uid,
          lost.held().grant().devices().stream().map(GrantedDevice::uuid).toList());
    }
    return left;
  }

  private static void warn(ClaimUid uid, PrepareRefusal left) {
    log.warn("lost claim not taken back uid={} reason=\"{}\"", uid, left.text());
  }
}
