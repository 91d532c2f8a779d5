package io.gpudra.controller.dra;

import com.google.common.util.concurrent.Striped;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

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

  public void changed(ClaimFacts now) {
    observe(now.ref(), now.uid(), () -> Optional.of(now));
  }

  public void deleted(ClaimRef ref, ClaimUid uid) {
    observe(ref, uid, Optional::empty);
    driver.gone(uid);
  }

  /**
   * Passes on the newest known state again: a state that came during a reservation did not end it.
   */
  public void refresh(ClaimRef ref, ClaimUid uid) {
    observe(ref, uid, () -> claims.get(ref).filter(found -> found.uid().equals(uid)));
  }

  /** Reads the state under the lock: a newer one is told after it. */
  private void observe(ClaimRef ref, ClaimUid uid, Supplier<Optional<ClaimFacts>> now) {
    Lock lock = locks.get(uid);
    lock.lock();
    try {
      driver.observe(ref, uid, now.get().flatMap(ClaimFacts::allocation).flatMap(Granted::ours));
    } finally {
      lock.unlock();
    }
  }
}
