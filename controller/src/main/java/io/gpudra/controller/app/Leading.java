package io.gpudra.controller.app;

import io.gpudra.controller.client.Election;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What this process's leadership is to the rest of it: it begins once, and ends with it. */
final class Leading implements Election.Terms {

  private final Consumer<String> halt;
  private final CompletableFuture<Long> begun = new CompletableFuture<>();

  /**
   * Not leading yet.
   *
   * @param halt ends the process on the spot: every further write could be a second leader's
   */
  Leading(Consumer<String> halt) {
    this.halt = halt;
  }

  @Override
  public void begun(long epoch) {
    begun.complete(epoch);
  }

  @Override
  public void lost(String why) {
    halt.accept(why);
  }

  /** Completes with the epoch when leadership begins, in the election's thread. */
  CompletableFuture<Long> whenBegun() {
    return begun.copy();
  }

  /** 0 before leadership begins; nothing is granted then. */
  long epoch() {
    return begun.getNow(0L);
  }
}
