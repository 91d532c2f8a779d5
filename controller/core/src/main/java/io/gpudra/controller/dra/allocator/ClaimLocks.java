package io.gpudra.controller.dra.allocator;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Locks on claims. Work owns all claims that it needs or none, and never waits for a lock: work
 * that could not lock a claim is requeued when the claim is unlocked, unless much other work was
 * turned away before.
 */
public final class ClaimLocks {
  /** At most 32 pods share a claim. */
  private static final int MAX_TURNED_AWAY = 64;

  private record Held(WorkKey owner, Set<WorkKey> turnedAway) {
    /** Work of a claim relies on being woken; other work comes again in any case. */
    void turnAway(WorkKey work) {
      if (work.kind() == WorkKey.Kind.CLAIM || turnedAway.size() < MAX_TURNED_AWAY) {
        turnedAway.add(work);
      }
    }
  }

  /** Guarded by this. */
  private final Map<ClaimUid, Held> held = new HashMap<>();

  private final Consumer<WorkKey> wake;

  public ClaimLocks(Consumer<WorkKey> wake) {
    this.wake = wake;
  }

  /** Whether this work owns all claims now; otherwise it owns none that it did not own before. */
  synchronized boolean acquire(ImmutableSet<ClaimUid> claims, WorkKey work) {
    for (ClaimUid claim : claims) {
      Held other = held.get(claim);
      if (other != null && !other.owner().equals(work)) {
        other.turnAway(work);
        return false;
      }
    }
    claims.forEach(
        claim -> held.computeIfAbsent(claim, unused -> new Held(work, new LinkedHashSet<>())));
    return true;
  }

  public synchronized boolean ownedByOther(ClaimUid claim, WorkKey work) {
    Held owner = held.get(claim);
    return owner != null && !owner.owner().equals(work);
  }

  public synchronized int size() {
    return held.size();
  }

  void release(ImmutableSet<ClaimUid> claims, WorkKey work) {
    Set<WorkKey> turnedAway = new LinkedHashSet<>();
    synchronized (this) {
      for (ClaimUid claim : claims) {
        Held mine = held.get(claim);
        if (mine != null && mine.owner().equals(work)) {
          held.remove(claim);
          turnedAway.addAll(mine.turnedAway());
        }
      }
    }
    turnedAway.forEach(wake);
  }
}
