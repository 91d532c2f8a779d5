package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.ClaimState.Fenced;
import io.gpudra.kubeletplugin.prepare.ClaimState.Prepared;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Undoes claims one at a time, or repairs claims that cannot be undone. */
final class ClaimUnpreparer {

  static final PrepareRefusal INTERRUPTED =
      new PrepareRefusal(PrepareRefusal.Kind.CANCELLED, "the plugin is stopping");

  private final LocalNode node;
  private final NodeClaims claims;
  private final WaitTimeout waitTimeout;
  private final PreparePlanner plans;

  /** Claims that containers may use and that could not be repaired. */
  private final Set<ClaimUid> broken = ConcurrentHashMap.newKeySet();

  ClaimUnpreparer(
      LocalNode node, NodeClaims claims, WaitTimeout waitTimeout, PreparePlanner plans) {
    this.node = node;
    this.claims = claims;
    this.waitTimeout = waitTimeout;
    this.plans = plans;
  }

  boolean isBroken(ClaimUid uid) {
    return broken.contains(uid);
  }

  /** Runs an action for a claim while no other call works on it. */
  Optional<PrepareRefusal> withLock(
      ClaimUid uid, PrepareCall call, Supplier<Optional<PrepareRefusal>> action) {
    try {
      if (!claims.lock(uid, waitTimeout.limitNanos(call))) {
        return Optional.of(
            new PrepareRefusal(
                PrepareRefusal.Kind.BUSY, "another call is working on claim " + uid));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(INTERRUPTED);
    }
    return whileLocked(uid, action);
  }

  /** The same without waiting, see {@link #withLock}. */
  Optional<PrepareRefusal> attempt(ClaimUid uid, Supplier<Optional<PrepareRefusal>> action) {
    return withLock(uid, PrepareCall.endingIn(waitTimeout.margin()), action);
  }

  /** Runs an action for a claim that the caller has locked, and unlocks the claim at the end. */
  Optional<PrepareRefusal> whileLocked(ClaimUid uid, Supplier<Optional<PrepareRefusal>> action) {
    try {
      return action.get();
    } finally {
      claims.unlock(uid);
    }
  }

  /**
   * Undoes a claim completely or not at all: until the kubelet receives the answer it may start
   * another pod on the claim without a call.
   */
  Optional<PrepareRefusal> unprepareLocked(ClaimUid uid) {
    if (holds(uid) && node.unreachable().isPresent()) {
      return removeFile(uid).or(() -> claims.intended(uid));
    }
    boolean usable = claims.state(uid) instanceof Prepared;
    Optional<PrepareRefusal> left = undo(uid);
    if (left.isEmpty() || !usable) {
      return left;
    }
    claims.undoCancelled(uid);
    Optional<PrepareRefusal> later = repair(uid);
    return later.isEmpty() ? left : left.map(first -> first.and(later.get()));
  }

  private boolean holds(ClaimUid uid) {
    return claims.state(uid).holding().isPresent();
  }

  /** Without the spec file, no container begins to use the claim until it is repaired. */
  Optional<PrepareRefusal> removeFile(ClaimUid uid) {
    return plans.strayFile(uid).undo();
  }

  /** Undoes a claim that the caller has locked. */
  Optional<PrepareRefusal> undo(ClaimUid uid) {
    if (holds(uid) && node.unreachable().isPresent()) {
      return node.unreachable();
    }
    claims.markUndoing(uid);
    broken.remove(uid);
    Optional<PrepareRefusal> left = plans.toUndo(uid).undo();
    if (left.isPresent()) {
      claims.markPartlyUndone(uid);
      return left;
    }
    return claims.forget(uid);
  }

  /**
   * Repairs a claim that containers may use; no other call works on it. A fenced claim is not
   * repaired until it is opened.
   */
  Optional<PrepareRefusal> repair(ClaimUid uid) {
    if (node.unreachable().isPresent()) {
      broken.add(uid);
      return Optional.empty();
    }
    ClaimState state = claims.state(uid);
    if (state instanceof Fenced) {
      return Optional.empty();
    }
    Optional<PrepareRefusal> problem =
        state instanceof Prepared prepared
            ? plans.of(uid, prepared.held().grant()).apply(PrepareCall.withoutDeadline())
            : Optional.empty();
    boolean unused = problem.isPresent() ? broken.add(uid) : broken.remove(uid);
    return problem;
  }
}
