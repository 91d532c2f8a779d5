package io.gpudra.controller.app;

import io.gpudra.controller.client.election.Election;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What this process's leadership is to the rest of it: it begins once, and ends with it. */
final class Leading implements Election.Terms {

  private final Consumer<String> halt;
  private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
  private volatile long epoch;

  /**
   * Not leading yet.
   *
   * @param halt ends the process on the spot: every further write could be a second leader's
   */
  Leading(Consumer<String> halt) {
    this.halt = halt;
  }

  @Override
  public void begun(long nowEpoch) {
    epoch = nowEpoch;
    begun.complete(true);
  }

  @Override
  public void lost(String why) {
    halt.accept(why);
  }

  /** Waits; answers whether leadership begins at all. */
  boolean await() {
    return begun.join();
  }

  /** If it has not begun, it never will: the process is about to end. */
  void giveUp() {
    begun.complete(false);
  }

  /** 0 before leadership begins; nothing is granted then. */
  long epoch() {
    return epoch;
  }
}
