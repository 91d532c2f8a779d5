package io.gpudra.controller.dra;

import com.google.common.util.concurrent.Striped;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * Passes the state of each claim in the API to the driver, one state at a time per claim, so that
 * an older state never follows a newer one.
 */
public final class ClaimFeed {
  private static final int STRIPES = 64;

  /** Serializes the states of one claim. */
  private final Striped<Lock> locks = Striped.lock(STRIPES);

  private final Driver<?> driver;
  private final ClaimStore claims;

  public ClaimFeed(Driver<?> driver, ClaimStore claims) {
    this.driver = driver;
    this.claims = claims;
  }

  public void seen(ClaimFacts now) {
    tell(now.ref(), now.uid(), now.allocation().flatMap(Granted::ours));
  }

  public void gone(ClaimRef ref, ClaimUid uid) {
    tell(ref, uid, Optional.empty());
    driver.gone(uid);
  }

  /**
   * Passes on the newest known state again: a state that came during a reservation did not end it.
   */
  public void lookAgain(ClaimRef ref, ClaimUid uid) {
    Lock lock = locks.get(uid);
    lock.lock();
    try {
      Optional<ClaimFacts> now = claims.get(ref).filter(found -> found.uid().equals(uid));
      driver.observe(ref, uid, now.flatMap(ClaimFacts::allocation).flatMap(Granted::ours));
    } finally {
      lock.unlock();
    }
  }

  private void tell(ClaimRef ref, ClaimUid uid, Optional<ResourceHandle> ours) {
    Lock lock = locks.get(uid);
    lock.lock();
    try {
      driver.observe(ref, uid, ours);
    } finally {
      lock.unlock();
    }
  }
}
