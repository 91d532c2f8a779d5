package io.gpudra.controller.app;

import io.gpudra.controller.client.election.LeaderElection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Leadership of this process: it begins once, and ends with the process. */
final class LeadershipState implements LeaderElection.Terms {

  private final Consumer<String> halt;
  private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
  private volatile long epoch;

  /**
   * A process that does not lead yet.
   *
   * @param halt ends the process at once, since another leader may write already
   */
  LeadershipState(Consumer<String> halt) {
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

  /** Waits for leadership; false if it will never begin. */
  boolean await() {
    return begun.join();
  }

  /** Prevents leadership from beginning, since the process is stopping. */
  void giveUp() {
    begun.complete(false);
  }

  /** The fence's epoch; 0 before leadership begins, when nothing is allocated. */
  long epoch() {
    return epoch;
  }
}
