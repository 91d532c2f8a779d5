package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.prepare.ClaimState.Intended;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.CdiSpecCache;
import io.gpudra.kubeletplugin.prepare.step.GpuLocks;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Prepares and unprepares claims. Both operations are repeatable. Calls for one claim run one after
 * the other; calls for different claims run concurrently.
 *
 * <p>After {@link #prepare}, the caller reports with {@link #answered} or {@link #abandoned}
 * whether the answer arrived: the kubelet never unprepares a claim for which it got no answer
 * (protocol.md N10).
 */
public final class ClaimPreparer {

  private final LocalNode node;
  private final NodeClaims claims;
  private final LiveGrants grants;
  private final WaitTimeout waitTimeout;
  private final CdiSpecCache specs;
  private final PreparePlanner plans;
  private final ClaimUnpreparer claimUnpreparer;

  ClaimPreparer(LocalNode node, NodeClaims claims, LiveGrants grants, WaitTimeout waitTimeout) {
    this.node = node;
    this.claims = claims;
    this.grants = grants;
    this.waitTimeout = waitTimeout;
    this.specs = new CdiSpecCache(node);
    this.plans = new PreparePlanner(node, claims, new GpuLocks(), specs);
    this.claimUnpreparer = new ClaimUnpreparer(node, claims, waitTimeout, plans);
  }

  /** The action runs, quickly and on any thread, after each change of {@link #held}. */
  public void onChange(Runnable action) {
    claims.onChange(action);
  }

  /** The claims that hold devices, from intended until undone, ordered by UID. */
  public ImmutableList<PreparedClaim> held() {
    return claims.describe();
  }

  /**
   * Like {@link #held}, plus the names under which the kubelet would start a pod without a call, on
   * devices of an earlier boot or on reclaimed devices; with the reason why containers wait.
   */
  public ImmutableList<PreparedClaim> listed() {
    return claims.listed(node::queue);
  }

  /** The kubelet calls for every claim that is not prepared in this boot, also for known names. */
  public void kubeletAsksAgain() {
    claims.release();
  }

  /** Reclaims claims that the kubelet has lost. */
  public LostClaimReclaimer lostClaimReclaimer(Clock clock) {
    return new LostClaimReclaimer(node, claims, grants, claimUnpreparer, clock);
  }

  /** Claims of earlier boots that the kubelet may have in its checkpoint, with their grants. */
  public ImmutableList<Remembered> remembered() {
    return claims.remembered();
  }

  /** UUIDs of the GPUs that claims hold, whole or in part. */
  public ImmutableSet<String> heldGpus() {
    return held().stream()
        .flatMap(claim -> claim.parts().stream())
        .map(GrantedPart::gpuUuid)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** The GPUs of the node, with the claims for which their MIG devices were created. */
  public ImmutableList<Gpu> gpus() {
    return claims.withOwners(node.devices().gpus());
  }

  boolean holds(ClaimUid uid) {
    return claims.state(uid).holding().isPresent();
  }

  /** Prepares a claim that the kubelet considers prepared, without waiting for other claims. */
  PrepareOutcome putBack(ClaimRef claim, Grant grant) {
    ClaimUid uid = grant.claim();
    PrepareRequest request = new PrepareRequest(uid, claim, grant).granted(grant);
    PrepareOutcome outcome = prepareAsSent(request, PrepareCall.endingIn(Duration.ZERO));
    answered(ImmutableList.of(uid));
    return outcome;
  }

  /** Prepares a claim, waiting for the holders of its devices as long as the call allows. */
  public PrepareOutcome prepare(PrepareRequest sent, PrepareCall call) {
    PrepareRequest request = GrantDeviceNames.in(sent, node.devices());
    return claims.mayBeOutdated(request)
        ? prepareAsGranted(request, call)
        : prepareAsSent(request, call);
  }

  private PrepareOutcome prepareAsGranted(PrepareRequest request, PrepareCall call) {
    LiveGrant live = grants.of(request.ref());
    return live.grantOf(request.uid())
        .map(grant -> prepareAsSent(request.granted(grant).by(pods(live, request.uid())), call))
        .orElseGet(() -> new PrepareOutcome.Refused(outdated(request, live)));
  }

  /** Read before anything is prepared: a pod that has a sandbox by then does not use the claim. */
  private Optional<Pods> pods(LiveGrant live, ClaimUid uid) {
    return node.pods().list().map(podSet -> new Pods(live.usersOf(uid), podSet.started()));
  }

  private static PrepareRefusal outdated(PrepareRequest request, LiveGrant live) {
    return new PrepareRefusal(
        live instanceof LiveGrant.NoAnswer ? PrepareRefusal.Kind.BUSY : PrepareRefusal.Kind.INVALID,
        "the kubelet's handle for claim %s may be outdated, and there is no live one: %s"
            .formatted(request.ref(), live.problem(request.uid())));
  }

  private PrepareOutcome prepareAsSent(PrepareRequest sent, PrepareCall call) {
    PrepareRequest request = GrantDeviceNames.in(sent, node.devices());
    Optional<PrepareRefusal> invalid = node.refusal().or(() -> GrantRules.problem(request, node));
    if (invalid.isPresent()) {
      return new PrepareOutcome.Refused(invalid.get());
    }
    try {
      return enter(request, call);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new PrepareOutcome.Refused(ClaimUnpreparer.INTERRUPTED);
    }
  }

  private PrepareOutcome enter(PrepareRequest request, PrepareCall call)
      throws InterruptedException {
    long limit = waitTimeout.limitNanos(call);
    while (true) {
      PrepareDecision prepareDecision = claims.enter(request, call, limit);
      switch (prepareDecision.kind()) {
        case BEGIN -> {
          return begin(request, call);
        }
        case REUSE -> {
          return reuse(request);
        }
        case ASK_FIRST -> {
          return prepareAsGranted(request, call);
        }
        case WAIT, REFUSED -> {
          return new PrepareOutcome.Refused(prepareDecision.refusal());
        }
        case UNDO_FIRST -> {
          ClaimUid uid = request.uid();
          Optional<PrepareRefusal> left =
              claimUnpreparer.whileLocked(uid, () -> claimUnpreparer.undo(uid));
          if (left.isPresent()) {
            return new PrepareOutcome.Refused(left.get());
          }
        }
      }
    }
  }

  private PrepareOutcome begin(PrepareRequest request, PrepareCall call) {
    ClaimUid uid = request.uid();
    try {
      Optional<PrepareRefusal> problem = plans.of(uid, request.grant()).apply(call);
      if (problem.isEmpty()) {
        problem = claims.prepared(uid);
      }
      // If the undo fails, too, the claim stays intended and sweep() repeats it.
      problem.ifPresent(reason -> claimUnpreparer.undo(uid));
      return outcome(uid, problem);
    } finally {
      claims.unlock(uid);
    }
  }

  private PrepareOutcome reuse(PrepareRequest request) {
    try {
      // The caller of a repeated prepare may be gone: a prepared claim is still worth repairing.
      return outcome(
          request.uid(),
          plans.of(request.uid(), request.grant()).apply(PrepareCall.withoutDeadline()));
    } finally {
      claims.unlock(request.uid());
    }
  }

  private PrepareOutcome outcome(ClaimUid uid, Optional<PrepareRefusal> problem) {
    return problem
        .<PrepareOutcome>map(PrepareOutcome.Refused::new)
        .orElseGet(
            () ->
                new PrepareOutcome.Ready(
                    ImmutableList.of(node.specs().names().qualifiedDevice(uid))));
  }

  /** The kubelet has the answers for these claims; only {@link #unprepare} undoes them now. */
  public void answered(Collection<ClaimUid> uids) {
    claims.answered(uids);
  }

  /**
   * The kubelet got no answer for these claims from this call: undoes those that the call prepared.
   * Claims prepared before the call stay.
   *
   * @return the claims that were changed
   */
  public ImmutableSet<ClaimUid> abandoned(PrepareCall call, Collection<ClaimUid> uids) {
    ImmutableSet<ClaimUid> ours =
        uids.stream().filter(uid -> claims.unanswered(uid, call)).collect(toImmutableSet());
    for (ClaimUid uid : ours) {
      claimUnpreparer.withLock(
          uid,
          PrepareCall.withoutDeadline(),
          () -> claims.unanswered(uid, call) ? claimUnpreparer.undo(uid) : Optional.empty());
    }
    return ours;
  }

  /**
   * Unprepares a claim, known or not, and every other claim prepared under the same key of the
   * kubelet, which keeps one entry for each name (protocol.md N14). Empty when nothing is left that
   * a container could use; a claim that could not be undone completely is prepared as before. GPUs
   * that cannot be reached are no reason to fail: the claim holds them until {@link #sweep} finds
   * them.
   */
  public Optional<PrepareRefusal> unprepare(ClaimUid uid, ClaimRef ref, PrepareCall call) {
    Optional<PrepareRefusal> first = Optional.empty();
    for (ClaimUid target : claims.namedLike(uid, ref)) {
      Optional<PrepareRefusal> problem =
          claimUnpreparer.withLock(target, call, () -> claimUnpreparer.unprepareLocked(target));
      first = first.isPresent() ? first : problem;
    }
    return first.isPresent() ? first : claims.forgetName(ref);
  }

  /**
   * Tries again to undo claims of calls that have ended, and to repair claims that could not be
   * repaired before.
   */
  public void sweep() {
    claims
        .snapshot()
        .forEach(
            (uid, state) -> {
              if (state instanceof Intended || claimUnpreparer.isBroken(uid)) {
                claimUnpreparer.attempt(uid, () -> putInOrder(uid));
              }
            });
  }

  private Optional<PrepareRefusal> putInOrder(ClaimUid uid) {
    return claims.state(uid) instanceof Intended
        ? claimUnpreparer.undo(uid)
        : claimUnpreparer.repair(uid);
  }

  /**
   * Repairs all devices and spec files that containers may use.
   *
   * @return the failures by claim; such a claim keeps its devices
   */
  ImmutableMap<ClaimUid, PrepareRefusal> verify() {
    ImmutableMap.Builder<ClaimUid, PrepareRefusal> problems = ImmutableMap.builder();
    for (ClaimUid uid : claims.snapshot().keySet()) {
      claimUnpreparer.repair(uid).ifPresent(problem -> problems.put(uid, problem));
    }
    return problems.buildOrThrow();
  }

  /**
   * Restores the checkpoint when its file was removed: after a boot no other record has the claims
   * that the kubelet may remember.
   *
   * @return the reason why it could not be restored
   */
  public Optional<PrepareRefusal> restoreCheckpoint() {
    return claims.with(CheckpointCache::restore);
  }

  /**
   * Restores spec files that were removed or changed; without them no further container of the
   * claim starts. This does not depend on the GPUs, which may not answer.
   *
   * @return the claims whose files could not be restored
   */
  public ImmutableMap<ClaimUid, PrepareRefusal> restoreSpecs() {
    specs.followDriver();
    ImmutableMap.Builder<ClaimUid, PrepareRefusal> problems = ImmutableMap.builder();
    for (ClaimUid uid : claims.snapshot().keySet()) {
      claims.ifIdle(uid, () -> restored(uid)).ifPresent(problem -> problems.put(uid, problem));
    }
    return problems.buildOrThrow();
  }

  private Optional<PrepareRefusal> restored(ClaimUid uid) {
    try {
      specs.putBack(uid);
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.of(
          new PrepareRefusal(PrepareRefusal.Kind.FAILED, String.valueOf(e.getMessage())));
    }
  }

  /**
   * Records that a claim's API object is gone, or exists again. Its devices stay: containers of a
   * pod that was deleted by force still run.
   *
   * @return whether this is a change
   */
  public boolean orphaned(ClaimUid uid, boolean gone, Instant now) {
    return claims.orphaned(uid, gone, now);
  }
}
